import { Command } from 'commander'
import { allowPrunePatch, heldList } from '../../foundations/fleet/actions.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import type { Terminal } from '../terminal.ts'
import { guardedKinds, readUnit, requireHeld, unitNamed } from '../unit.ts'

const examples = `
Examples:
  # What waits, and the digest of that list
  keelson why kustomization/podinfo -n apps

  # Delete exactly what was listed
  keelson allow-prune kustomization/podinfo -n apps --digest sha256:4be2...

Exit codes: 0 when the deletions are allowed, 1 when the unit has no such list or could not be changed.
`

interface AllowPruneOptions extends HubOptions {
  readonly digest: string
}

/** `keelson allow-prune`: releases the deletions that a unit holds, if they still match the digest. */
export const allowPruneCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withHubOptions(
    new Command('allow-prune')
      .summary('allow deletions that a unit holds back as PruneGuarded')
      .description(
        'Allows the deletions that a Kustomization, ResourceSet or HelmRelease holds back as PruneGuarded: only the list with this digest, and only once.',
      )
      .argument('<unit>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the unit, if not given as KIND/NAME'),
  )
    .requiredOption(
      '--digest <digest>',
      'digest of the list, as shown by the condition PruneGuarded and by `keelson why`',
    )
    .addHelpText('after', examples)
    .action(async (word: string, name: string | undefined, options: AllowPruneOptions) => {
      const { kind, ref, title } = unitNamed(word, name, { namespace: options.namespace, kinds: guardedKinds })
      await withHub(options, env, async hub => {
        const unit = await readUnit(hub, kind, ref)
        const message = requireHeld(unit, title, options.digest)
        if (!heldList(message)?.isAnnotationEnough)
          throw new CommandFailed(`the deletions that ${title} holds back need Approvals of users: ${message}`)
        const patch = allowPrunePatch(options.digest, new Date().toISOString())
        await hub.cluster.patch(
          apiVersionOf(kind),
          ref,
          { type: 'merge', patch },
          { fieldManager: 'keelson', signal: hub.signal },
        )
      })
      terminal.success(`${title} may delete the list with digest ${options.digest}`)
    })
