# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./tessera: makes the Debian sid roots. Uses its variables $source and $cache, and its say, step and die.

root_format=1 # raise it when a root made by an older version of this file will not do
needed_gigabytes=8

packages_of() { # packages_of ROOT: its list without comments
  sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$source/cmake/roots/$1.packages"
}

root_folder() { # root_folder ROOT: where it lies; another list is another folder
  local hash
  hash=$({ echo "$root_format"; packages_of "$1"; } | sha256sum)
  echo "$cache/roots/$1-${hash:0:12}"
}

root_is_ready() { # root_is_ready FOLDER
  [ -e "$1/.tessera-ready" ]
}

# may_mount: sets namespace, unshare's options for mounts of our own, and says whether they are permitted: to root in
# most places, in containers often not; to others where user namespaces are.
namespace=()
mounting=
may_mount() {
  if [ -z "$mounting" ]; then
    namespace=(--mount)
    if [ "$(id -u)" != 0 ]; then namespace+=(--user --map-root-user); fi
    mounting=no
    if unshare "${namespace[@]}" true 2>/dev/null; then mounting=yes; fi
  fi
  [ "$mounting" = yes ]
}

# Addresses of the repositories in this machine's apt configuration, whatever its format; those of its own Debian
# release first. Cloud images name a file that lists mirrors.
apt_repositories() {
  local codename uri list
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk -v own="$codename" '!seen[$2]++ {print ($1 == own ? 0 : 1), $2}' | sort -s -k1,1 | cut -d' ' -f2 |
    while read -r uri; do
      case $uri in
        mirror+file:*)
          list=${uri#mirror+file:}
          list=${list%/}
          uri=$(grep -m1 -o '^[a-z]*:[^[:space:]]*' "/${list##/}") || continue
          ;;
      esac
      case $uri in http:* | https:* | file:*) echo "${uri%/}" ;; esac
    done
}

# The first of them that has Debian's sid.
find_mirror() {
  local uri answer
  if [ -n "${TESSERA_MIRROR:-}" ]; then
    echo "${TESSERA_MIRROR%/}"
    return
  fi
  answer=$(mktemp -d) || return
  for uri in $(apt_repositories); do
    if /usr/lib/apt/apt-helper -qq download-file "$uri/dists/sid/InRelease" "$answer/InRelease" >&2 &&
      grep -q '^Origin: Debian$' "$answer/InRelease"; then
      rm -rf "$answer"
      echo "$uri"
      return
    fi
  done
  rm -rf "$answer"
  echo "No repository of the apt configuration has Debian sid; asked: $(apt_repositories | tr '\n' ' ')" >&2
  echo "Name a Debian mirror in TESSERA_MIRROR." >&2
  return 1
}

apt_proxy() { # apt_proxy URI: the proxy that apt uses for it, if any
  local proxy='' detect='' scheme=${1%%:*}
  eval "$(apt-config shell proxy "Acquire::$scheme::Proxy" detect "Acquire::$scheme::Proxy-Auto-Detect")"
  if [ -z "$detect" ]; then eval "$(apt-config shell detect "Acquire::$scheme::ProxyAutoDetect")"; fi
  if [ -z "$proxy" ] && [ -x "$detect" ]; then proxy=$("$detect" "$1") || proxy=''; fi
  if [ "$proxy" != DIRECT ]; then echo "$proxy"; fi
}

install_debootstrap() {
  apt-get update &&
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5 \
      install -y --no-install-recommends debootstrap
}

# make_base FOLDER MIRROR: sid without anything. It is kept for a day, in which other roots start from a copy.
make_base() {
  local base=$cache/roots/base
  if [ -z "$(find "$base/.tessera-ready" -mtime -1 2>/dev/null)" ]; then
    rm -rf --one-file-system "$base" && debootstrap_base "$base" "$2" && touch "$base/.tessera-ready" || return
  fi
  mkdir "$1" && cp -a --reflink=auto "$base/." "$1" && rm "$1/.tessera-ready"
}

debootstrap_base() { # debootstrap_base FOLDER MIRROR
  local proxy include=() isolated=()
  proxy=$(apt_proxy "$2")
  case $2 in https:*) include=(--include=ca-certificates) ;; esac
  if [ -n "$proxy" ]; then export http_proxy=$proxy https_proxy=$proxy; fi
  mkdir -p "$cache/archives/partial" || return
  if may_mount; then isolated=(unshare --mount); fi # so that an interruption leaves nothing mounted
  # In two stages, so that dpkg can be told in between not to flush each file to the disk: a root is made anew when
  # its set-up breaks off.
  "${isolated[@]}" debootstrap --foreign --variant=minbase --cache-dir="$cache/archives" "${include[@]}" sid "$1" "$2" &&
    mkdir -p "$1/etc/dpkg/dpkg.cfg.d" && echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/tessera" &&
    PATH=/usr/sbin:/usr/bin:/sbin:/bin "${isolated[@]}" chroot "$1" /debootstrap/debootstrap --second-stage && return
  if [ -f "$1/debootstrap/debootstrap.log" ]; then tail -n 20 "$1/debootstrap/debootstrap.log"; fi
  return 1
}

configure_apt() { # configure_apt FOLDER MIRROR ROOT
  local proxy
  proxy=$(apt_proxy "$2")
  {
    apt-config dump | grep -E '^Acquire::((http|https|ftp)::|Check-Date |ForceIPv[46] )' |
      grep -v -i -E 'Proxy-?Auto-?Detect'
    if [ -n "$proxy" ]; then echo "Acquire::${2%%:*}::Proxy \"$proxy\";"; fi
    cat <<-'SETTINGS'
	Acquire::Check-Valid-Until "false";
	Acquire::Retries "5";
	Acquire::Languages "none";
	APT::Install-Recommends "false";
	APT::Get::Assume-Yes "true";
	APT::Keep-Downloaded-Packages "true";
	Dpkg::Use-Pty "0";
	SETTINGS
  } >"$1/etc/apt/apt.conf.d/90tessera"
  echo "deb $2 sid main" >"$1/etc/apt/sources.list"
  packages_of "$3" | sed -n 's/^experimental: *//p' | while read -r name; do
    printf 'Package: %s\nPin: release a=experimental\nPin-Priority: 600\n\n' "$name"
  done >"$1/etc/apt/preferences.d/tessera"
  if [ -s "$1/etc/apt/preferences.d/tessera" ]; then
    echo "deb $2 experimental main" >>"$1/etc/apt/sources.list"
  fi
  cat >>"$1/etc/dpkg/dpkg.cfg.d/tessera" <<-'SETTINGS'
	path-exclude=/usr/share/man/*
	path-exclude=/usr/share/info/*
	path-exclude=/usr/share/locale/*
	SETTINGS
  printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d" # no services in here
  chmod +x "$1/usr/sbin/policy-rc.d"
  if [ -e /etc/resolv.conf ]; then cp -L /etc/resolv.conf "$1/etc/resolv.conf"; fi
}

install_packages() { # install_packages FOLDER ROOT
  local names inside
  mapfile -t names < <(packages_of "$2" | sed -e '/^experimental:/d' -e 's/^without: */without:/')
  inside=(chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
    bash -c "$(cat "$source/cmake/roots/install.sh")" install.sh "${names[@]}")
  if ! may_mount; then
    "${inside[@]}" && rm -f "$1"/var/cache/apt/archives/*.deb
    return
  fi
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare --mount bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
      mount --bind "$2" "$1/var/cache/apt/archives" && shift 2 && exec "$@"' \
    bash "$1" "$cache/archives" "${inside[@]}"
}

say_what_to_install() { # say_what_to_install CONFIGURATION REASON
  local kokkos='with Serial (-DKokkos_ENABLE_SERIAL=ON)' more='Kokkos Kernels >= 4.7, VTK >= 9 (libvtk9-dev), '
  if [ "$1" = openmp ]; then kokkos='with OpenMP (-DKokkos_ENABLE_OPENMP=ON)' more=; fi
  cat >&2 <<TEXT
tessera: $2.

The '$1' configuration needs Kokkos 4.7 or newer$([ -z "$more" ] || echo ' and Kokkos Kernels'), and CMake finds no such thing here. Either

  * have the missing part made once by root, who needs debootstrap; it is kept in $cache:
      sudo apt-get install debootstrap
      sudo TESSERA_CACHE='$cache' '$source/tessera' setup $1
  * or install Kokkos >= 4.7 $kokkos,
    ${more}METIS (libmetis-dev),
    GoogleTest (libgtest-dev libgmock-dev), a C++20 compiler (g++), CMake >= 3.25 (cmake) and Ninja (ninja-build).
    Names in parentheses are Debian's packages. Kokkos comes with Trilinos >= 17, with Spack, with Debian releases
    after 13, or from its own sources. Name its folder in CMAKE_PREFIX_PATH where CMake does not find it by itself.
TEXT
}

make_root() { # make_root CONFIGURATION ROOT: the folder is ready afterwards, or the launcher ends
  local name=$2 folder mirror log available
  folder=$(root_folder "$name")
  log=$cache/logs/$name-setup.log
  if [ "$(id -u)" != 0 ]; then
    say_what_to_install "$1" 'making a Debian root takes root rights, which this user lacks'
    exit 1
  fi
  if ! command -v apt-get >/dev/null; then
    say_what_to_install "$1" 'a Debian root is needed, and this machine has no apt to make one with'
    exit 1
  fi
  case $cache in
    *[[:space:]]*) die "debootstrap takes no folder with a space in its name, as '$cache' is; name another in TESSERA_CACHE" ;;
  esac
  mkdir -p "$cache/logs" "$cache/roots" "$cache/archives" || die "cannot write to $cache; name another folder in TESSERA_CACHE"
  exec 9>"$cache/setup.lock"
  if ! flock --nonblock 9; then
    say 'waiting for another set-up to end'
    flock 9
  fi
  if root_is_ready "$folder"; then
    exec 9>&-
    return
  fi
  if [ -e "$folder" ]; then
    say "$name: an earlier set-up was interrupted; starting again"
    rm -rf --one-file-system "$folder" || die "cannot remove $folder"
  fi
  available=$(df --output=avail -BG "$cache" | tail -n 1 | tr -dc 0-9)
  if [ "$available" -lt "$needed_gigabytes" ]; then
    die "$cache has $available GB free and a set-up takes up to $needed_gigabytes; name another folder in TESSERA_CACHE"
  fi
  if ! command -v debootstrap >/dev/null; then
    if ! step "installing debootstrap" "$log" install_debootstrap; then
      say_what_to_install "$1" 'a Debian root is needed, and debootstrap could not be installed'
      exit 1
    fi
  fi
  say "$name: first use: making a Debian root in $folder"
  # Downloads are shared by the roots and outlive an interruption; what nothing has asked for lately goes.
  find "$cache/archives" -name '*.deb' -ctime +14 -delete
  mirror=$(find_mirror 2>"$log") || die "$(cat "$log")"
  step "$name: base system" "$log" make_base "$folder" "$mirror" || exit
  configure_apt "$folder" "$mirror" "$name" || die "cannot configure $folder"
  step "$name: packages" "$log" install_packages "$folder" "$name" || exit
  dpkg-query --admindir="$folder/var/lib/dpkg" -W >"$folder/.tessera-packages" &&
    touch "$folder/.tessera-ready" || die "cannot finish $folder"
  exec 9>&-
}
