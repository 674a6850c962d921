import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { kubeconfig } from '../../hub/apiserver/identity/kubeconfig.ts'
import { userCertificate } from '../../hub/apiserver/identity/serving-identity.ts'
import { CommandFailed } from '../command-failed.ts'
import { kubeconfigData } from '../kubeconfig-document.ts'

const examples = `
Examples:
  # A kubeconfig for jane, who is in the group devs
  keelson user jane --group devs > jane.kubeconfig

  # Roles define what she may do
  kubectl create rolebinding devs --clusterrole=edit --group=devs -n apps

A certificate is valid until it expires, and can't be revoked. So bind roles to the names of users rather than to
their groups: to lock a user out, remove the bindings.
`

interface Options {
  readonly data: string
  readonly group: readonly string[]
  readonly days: string
}

const collect = (value: string, list: readonly string[]): readonly string[] => [...list, value]

/** `keelson user`: writes a kubeconfig for a user, with a client certificate from the hub of a data directory. */
export const userCommand = (output: NodeJS.WritableStream): Command =>
  new Command('user')
    .summary('write a kubeconfig for another user of a hub')
    .description('Writes a kubeconfig with a client certificate for another user of the hub with this data directory.')
    .argument('<name>', 'name of the user, as in role bindings')
    .option('--group <group>', 'a group of the user; may be repeated', collect, [])
    .option('--data <dir>', 'where the hub keeps its objects, artifacts and keys', '.keelson')
    .option('--days <count>', 'validity of the certificate in days', '365')
    .addHelpText('after', examples)
    .action(async (name: string, { data, group, days }: Options) => {
      if (!/^[1-9]\d{0,4}$/.test(days)) throw new CommandFailed(`--days ${days}: must be a number of days`)
      const order = { name, groups: group, days: Number(days) }
      const ports = { clock: { now: Date.now }, random: { bytes: randomBytes } }
      const made = await userCertificate(join(data, 'identity'), order, ports)
      if (!made)
        throw new CommandFailed(`${data} does not contain a hub: run keelson serve --data ${data} once to create it`)
      const server = await serverOf(join(data, 'kubeconfig'))
      output.write(kubeconfig({ server, authority: made.authority, client: made, name: `keelson-${name}` }))
    })

/** The address in the administrator's kubeconfig. */
const serverOf = async (path: string): Promise<string> => {
  const config = kubeconfigData(await readFile(path, 'utf8')) as {
    readonly clusters: readonly [{ readonly cluster: { readonly server: string } }]
  }
  return config.clusters[0].cluster.server
}
