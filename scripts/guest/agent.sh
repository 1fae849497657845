#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the commands that the host sends over virtio-serial (scripts/lib/guest.py holds the other end).
#   host:  RUN MARK SCRIPT   (SCRIPT in base64, run by sh; MARK ends its stdout and its stderr on their own ports)
#   guest: READY RELEASE     once, or PROBLEM TEXT if a step of the boot failed
#          EXIT MARK STATUS  for each RUN
port() {
    for name in /sys/class/virtio-ports/*/name; do
        read -r found <"$name"
        if [ "$found" = "$1" ]; then name=${name%/name}; echo "/dev/${name##*/}"; return; fi
    done
}
exec 3<>"$(port softgen.control)" 4>"$(port softgen.stdout)" 5>"$(port softgen.stderr)" || exit 1
# The commands' standard input is a pipe without data that stays open, like an idle terminal. At end of file kmscube and others quit.
mkfifo /run/softgen/silence && exec 6<>/run/softgen/silence 7</run/softgen/silence || exit 1
cd /root || exit 1
if [ -s /run/softgen/problems ]; then
    echo "PROBLEM $(tr '\n' ';' </run/softgen/problems)" >&3
    exit 1
fi
echo "READY $(uname -r)" >&3
while read -r verb mark script <&3; do
    case $verb in
        RUN)
            # Waits for the command only, not for its background processes. setsid: a command that signals its process group must not
            # hit this script. A subshell: sh's own message about the command's end ("Terminated") must not appear in its output.
            (exec setsid -w sh -c "$(echo "$script" | base64 -d)" <&7 >&4 2>&5 3>&- 4>&- 5>&- 6>&- 7<&-)
            status=$?
            printf %s "$mark" >&4
            printf %s "$mark" >&5
            echo "EXIT $mark $status" >&3
            ;;
        QUIT) exit 0 ;;
    esac
done
