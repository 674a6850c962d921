import { Command } from 'commander'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import type { Terminal } from '../terminal.ts'
import { annotateUnit, boundKinds, readUnit, unitNamed } from '../unit.ts'

const examples = `
Examples:
  # Which cluster was it, and which is it now
  keelson why kustomization/podinfo -n apps

  # Apply to the new one; nothing is deleted by the old inventory
  keelson adopt-cluster kustomization/podinfo -n apps

  # Only if it is still the expected one
  keelson adopt-cluster kustomization/podinfo -n apps --cluster 6f1c0c5e-...

Exit codes: 0 when the cluster is adopted, 1 when the unit waits for none, waits for another one, or could not be changed.
`

interface AdoptClusterOptions extends HubOptions {
  readonly cluster?: string
}

/** `keelson adopt-cluster`: lets a unit apply to the cluster that has replaced another one. */
export const adoptClusterCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withHubOptions(
    new Command('adopt-cluster')
      .summary('let a unit apply to the cluster that has replaced its old one')
      .description(
        'Lets a Kustomization or ResourceSet with the reason ClusterChanged apply to the new cluster. Drops its old inventory, so that nothing is deleted.',
      )
      .argument('<unit>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the unit, if not given as KIND/NAME'),
  )
    .option('--cluster <name>', 'the new cluster, as named by the condition ClusterChanged')
    .addHelpText('after', examples)
    .action(async (word: string, name: string | undefined, options: AdoptClusterOptions) => {
      const { kind, ref, title } = unitNamed(word, name, { namespace: options.namespace, kinds: boundKinds })
      const adopted = await withHub(options, env, async hub => {
        const unit = await readUnit(hub, kind, ref)
        const changed = unit.status?.conditions?.find(
          ({ type, status }) => type === 'ClusterChanged' && status === 'True',
        )
        const found = changed && /--cluster (\S+)$/.exec(changed.message)?.[1]
        if (!found) throw new CommandFailed(`${title} does not wait for a cluster to be adopted`)
        if (options.cluster !== undefined && options.cluster !== found)
          throw new CommandFailed(`${title} does not wait for cluster ${options.cluster}: ${changed.message}`)
        await annotateUnit(hub, kind, ref, { 'keelson.dev/adopt-cluster': found })
        return found
      })
      terminal.success(`${title} is applied to cluster ${adopted} from now on`)
    })
