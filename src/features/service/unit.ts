/** Where the service keeps what it is made of. */
export const SERVICE = {
  user: 'ticketscan',
  unit: 'ticketscan.service',
  configFile: '/etc/ticketscan/config.json',
  dataFolder: '/var/lib/ticketscan',
  firstSignIn: '/var/lib/ticketscan/first-sign-in.txt',
} as const;

/** The settings that the service starts with: reachable from the network, over HTTPS from the first minute. */
export const FIRST_CONFIG = `${JSON.stringify(
  {
    store: `sqlite:${SERVICE.dataFolder}/ticketscan.db`,
    host: '0.0.0.0',
    port: 8443,
    tlsSelfSigned: true,
  },
  null,
  2,
)}\n`;

/**
 * The systemd unit of the service, for the Debian package and for `service install` alike.
 * @param program what starts the program, as absolute paths without spaces: the file, or Node and the file
 */
export function unitText(program: readonly string[]): string {
  return `[Unit]
Description=ticketscan, which answers whether a ticket may enter
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
User=${SERVICE.user}
Group=${SERVICE.user}
Environment=TICKETSCAN_CONFIG=${SERVICE.configFile}
Environment=TICKETSCAN_FIRST_SIGN_IN=${SERVICE.firstSignIn}
ExecStart=${program.join(' ')} serve
# Certificates are read again. The kill of the shell, because /bin/kill is in a package that small systems lack.
ExecReload=/bin/sh -c 'kill -HUP $MAINPID'
WorkingDirectory=${SERVICE.dataFolder}
StateDirectory=ticketscan
StateDirectoryMode=0700
UMask=0077
LimitNOFILE=65536
# A gate must open again by itself, whatever ended the program.
Restart=always
RestartSec=5

# What the program does not need, it cannot do.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
LockPersonality=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/**
 * What people start as `ticketscan` where the service is installed: the program with the configuration of the service, so that
 * `sudo ticketscan keys create` works on the data of the service in any folder. A configuration that is named or lies in the working
 * folder comes first.
 * @param program absolute path of the program
 */
export function launcherText(program: string): string {
  return `#!/bin/sh
if [ -z "\${TICKETSCAN_CONFIG-}" ] && [ ! -e ticketscan.config.json ]; then
  if [ -r ${SERVICE.configFile} ]; then
    export TICKETSCAN_CONFIG=${SERVICE.configFile}
  elif [ -e ${SERVICE.configFile} ] && [ -t 2 ]; then
    echo "ticketscan: this user cannot read ${SERVICE.configFile}, so this command does not use the data of the service. To use it, add sudo." >&2
  fi
fi
exec ${program} "$@"
`;
}
