import { Command } from 'commander'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { type Delivery, delivery as deliveryKind } from '../../foundations/kinds/delivery.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import type { Terminal } from '../terminal.ts'

const examples = `
Examples:
  # Do once more what a call of a webhook did, after its Receiver was mended
  keelson redeliver github-0mjk1q2w3x7f2 -n flux-system
`

const kind = deliveryKind as unknown as Kind

/** `keelson redeliver`: repeats a delivery, under the rules that its Receiver has now. */
export const redeliverCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withHubOptions(
    new Command('redeliver')
      .summary('repeat the delivery of a webhook')
      .description(
        "Does what a delivery did once more, under the rules that its Receiver has now: the same events, filters and objects. Requires the verb 'create' on 'deliveries/redeliver'.",
      )
      .argument('<delivery>', 'the name of a delivery, as keelson deliveries shows it'),
  )
    .addHelpText('after', examples)
    .action(async (name: string, options: HubOptions) => {
      const ref = { group: kind.group, kind: kind.kind, namespace: options.namespace, name }
      const made = await withHub(options, env, ({ cluster, signal }) =>
        cluster.act!(apiVersionOf(kind), ref, 'redeliver', { signal }),
      )
      const { metadata, message } = made as Delivery
      terminal.success(`${metadata.name}: ${message}`)
    })
