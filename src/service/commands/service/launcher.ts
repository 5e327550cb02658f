import { SERVICE } from './unit.ts';

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
