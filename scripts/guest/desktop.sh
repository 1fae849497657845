#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# desktop start: starts weston with a terminal on the first display and returns once it draws.
# It composes with GL where i915 or xe drives the display, else on the CPU; SOFTGEN_RENDERER=gl or pixman chooses.
export XDG_RUNTIME_DIR=/run/user/0 XDG_SEAT=seat0 LIBSEAT_BACKEND=seatd
case $1 in start) ;; *) echo "usage: desktop start" >&2; exit 2 ;; esac
log=/run/softgen/weston.log
case $(weston --version) in
    "weston 10."*) seat=--tty=1 ;;  # as root it opens the devices itself
    *)
        seat=
        seatd >/run/softgen/seatd.log 2>&1 &
        tries=0
        until [ -e /run/seatd.sock ]; do
            tries=$((tries + 1)); [ $tries -lt 200 ] || { echo "seatd does not start" >&2; exit 1; }
            sleep 0.05
        done
        ;;
esac
case ${SOFTGEN_RENDERER:-$(readlink /sys/class/drm/card0/device/driver)} in
    gl | */i915 | */xe) renderer= ;;
    *) renderer=--use-pixman ;;
esac
cat >/run/softgen/weston.ini <<'INI'
[core]
idle-time=0
[shell]
panel-position=top
background-color=0xff204a87
startup-animation=none
[autolaunch]
path=/usr/bin/weston-terminal
INI
setsid weston --backend=drm-backend.so $seat $renderer --config=/run/softgen/weston.ini --log=$log --socket=wayland-0 >>$log 2>&1 </dev/null &
weston=$!
tries=0
until [ -S $XDG_RUNTIME_DIR/wayland-0 ] && pidof weston-terminal >/dev/null && pidof weston-desktop-shell >/dev/null; do
    kill -0 $weston 2>/dev/null || { tail -20 $log >&2; exit 1; }
    tries=$((tries + 1)); [ $tries -lt 1200 ] || { echo "weston does not draw" >&2; tail -20 $log >&2; exit 1; }
    sleep 0.1
done
# The clients have drawn when all have slept for 1.5 seconds: under TCG that can be long after they started.
asleep() { for pid in $(pidof weston weston-desktop-shell weston-terminal); do grep -q '^State:.S' /proc/$pid/status || return 1; done; }
calm=0 tries=0
until [ $calm -ge 15 ]; do
    if asleep; then calm=$((calm + 1)); else calm=0; fi
    tries=$((tries + 1)); [ $tries -lt 600 ] || break
    sleep 0.1
done
