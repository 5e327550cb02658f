#!/bin/bash
# Runs as root in the container of prove-service.ts. Each line of the report is a promise that was kept; the first broken one ends it.
exec >/root/report.txt 2>/root/details.txt
data=/var/lib/ticketscan

expect() {
  local promise=$1
  shift
  if "$@" >&2; then echo "ok    $promise"; else
    echo "FAIL  $promise: $*"
    tail -n 20 /root/details.txt
    journalctl --unit ticketscan --no-pager --lines 20
    exit 1
  fi
}
until_true() { for _ in $(seq 300); do "$@" && return 0; sleep 0.1; done; return 1; }
answers() {
  ticketscan doctor --base-url https://127.0.0.1:8443 --ca $data/ticketscan.self-signed.cert.pem | grep -q 'ok    base-url '
}
all_files_are_its_own() { [ -z "$(find $data ! -user ticketscan)" ]; }
no_password_in_the_journal() {
  ! journalctl --unit ticketscan --no-pager | grep -F "$(sed -n 's/^password: //p' $data/first-sign-in.txt)"
}
no() { ! "$@"; }

began=$(date +%s%N)
expect 'the package installs' apt-get install --yes /root/ticketscan_0.1.0-1_amd64.deb
expect 'the service answers' until_true answers
echo "      $((($(date +%s%N) - began) / 1000000)) ms from apt to the first answer"
expect 'the service starts with the machine' systemctl --quiet is-enabled ticketscan
expect 'the first sign-in is in a file' until_true test -s $data/first-sign-in.txt
expect 'and not in the journal' no_password_in_the_journal
expect 'the unit has no mistakes' systemd-analyze verify ticketscan.service
expect 'a command of root works on its data' ticketscan organisations create --name Pool
expect 'every file is its own' all_files_are_its_own
expect 'service status agrees' ticketscan service status
expect 'service install leaves it alone' no ticketscan service install
expect 'it reloads its certificate' systemctl reload ticketscan
expect 'and goes on without a restart' test "$(systemctl show --property NRestarts --value ticketscan)" = 0

systemctl kill --signal KILL ticketscan
expect 'it ends when it is killed' until_true no systemctl --quiet is-active ticketscan
expect 'and starts again by itself' until_true answers

expect 'the package upgrades' apt-get install --yes /root/ticketscan_0.1.0-2_amd64.deb
expect 'it answers after the upgrade' until_true answers
expect 'with its data' ticketscan events create --organisation Pool --name Season
expect 'the package is removed' apt-get remove --yes ticketscan
expect 'nothing runs' no systemctl --quiet is-active ticketscan
expect 'the data is kept' test -s $data/ticketscan.db
expect 'the package is purged' apt-get purge --yes ticketscan
expect 'nothing is left' test ! -e $data -a ! -e /etc/ticketscan

hash -r
expect 'service install works without the package' /root/ticketscan service install
expect 'its service answers' until_true answers
expect 'its status says so' ticketscan service status --json
expect 'every file is its own' all_files_are_its_own
expect 'installing again upgrades it' /root/ticketscan service install
echo '{"port": "no number"}' >/etc/ticketscan/config.json
expect 'a service that cannot run is reported' no /root/ticketscan service install
rm /etc/ticketscan/config.json
expect 'it is repaired' /root/ticketscan service install
expect 'service uninstall stops it' /root/ticketscan service uninstall
expect 'nothing runs' no systemctl --quiet is-active ticketscan
expect 'the data is kept' test -s $data/ticketscan.db
echo 'all good'
