import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Event } from '../../foundations/kinds/event.ts'
import { humanDuration } from '../../foundations/kinds/human-duration.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { isHubGroup } from '../../foundations/kinds/references.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { table } from '../table.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly for?: string
  readonly types: readonly EventType[]
  readonly watch: boolean
}

type EventType = 'Normal' | 'Warning'

const examples = `
Examples:
  # What happened to the objects of a namespace
  keelson events -n apps

  # What went wrong with one of them
  keelson events --for Kustomization/my-app --types Warning

  # Everything, as it happens
  keelson events -A --watch
`

/** `keelson events`: Events of Flux objects, the latest last. */
export const eventsCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('events').summary('show events').description('Shows the events of Flux objects, the latest last.'),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .option('--for <object>', 'of one object (KIND/NAME), or of one kind')
    .option('--types <types>', 'only of these types (Normal, Warning), separated by commas', eventTypes, [])
    .option('-w, --watch', 'keep running, and show new events', false)
    .addHelpText('after', examples)
    .action((options: Options) =>
      withHub(options.watch ? { ...options, timeout: forever } : options, env, ({ cluster, signal }) =>
        show(cluster, options, output, signal),
      ),
    )

/** Maximum delay of a timer: 24 days. */
const forever = 2 ** 31 - 1
const pollMs = 1_000

const eventTypes = (text: string): readonly EventType[] =>
  text.split(',').map(word => {
    const type = (['Normal', 'Warning'] as const).find(known => known.toLowerCase() === word.trim().toLowerCase())
    if (!type) throw new InvalidArgumentError('The types are Normal and Warning.')
    return type
  })

const show = async (
  cluster: ClusterClient,
  options: Options,
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<void> => {
  const target = options.for === undefined ? undefined : parseTarget(options.for)
  const seen = new Map<string, number>()
  for (;;) {
    const namespace = options.allNamespaces ? undefined : options.namespace
    const { items } = await cluster.list(
      { apiVersion: 'v1', kind: 'Event', ...(namespace && { namespace }) },
      { signal },
    )
    const news = (items as readonly Event[])
      .filter(({ involvedObject: { apiVersion = '', kind, name } }) => {
        if (!target) return isHubGroup(groupOf(apiVersion))
        return kind === target.kind.kind && (target.name === undefined || name === target.name)
      })
      .filter(({ type }) => options.types.length === 0 || options.types.includes(type as EventType))
      .filter(({ metadata, count = 1 }) => (seen.get(metadata.uid ?? '') ?? 0) < count)
      .toSorted((a, b) => lastSeen(a) - lastSeen(b))
    output.write(eventTable(withOneCauseOnce(news), { withNamespace: options.allNamespaces, now: Date.now() }))
    for (const { metadata, count = 1 } of news) seen.set(metadata.uid ?? '', count)
    if (!options.watch) return
    await sleep(pollMs, undefined, { signal })
  }
}

/**
 * Of identical events for several objects, such as all that write to a dead cluster, only the latest, with the number of others.
 */
const withOneCauseOnce = (events: readonly Event[]): readonly Event[] => {
  const alike = Map.groupBy(events, ({ type, reason, message, metadata }) =>
    type === 'Warning' ? JSON.stringify([reason, message]) : (metadata.uid ?? ''),
  )
  return [...alike.values()]
    .flatMap(group => {
      const latest = group.at(-1)!
      const others = new Set(
        group.map(({ involvedObject: { kind, namespace, name } }) => `${kind}/${namespace}/${name}`),
      )
      if (others.size === 1) return group
      const { involvedObject } = latest
      const name = `${involvedObject.name} and ${others.size - 1} more`
      return [{ ...latest, involvedObject: { ...involvedObject, name } }]
    })
    .toSorted((a, b) => lastSeen(a) - lastSeen(b))
}

const lastSeen = ({ lastTimestamp, eventTime, metadata }: Event): number =>
  Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '')

/** In flux's columns. */
export const eventTable = (
  events: readonly Event[],
  { withNamespace, now }: { readonly withNamespace: boolean; readonly now: number },
): string =>
  table(
    [...(withNamespace ? ['NAMESPACE'] : []), 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
    events.map(event => [
      ...(withNamespace ? [event.metadata.namespace ?? ''] : []),
      age(event, now),
      event.type ?? '',
      event.reason ?? '',
      `${event.involvedObject.kind}/${event.involvedObject.name}`,
      (event.message ?? '').trimEnd().replaceAll('\n', ' '),
    ]),
  )

const age = (event: Event, now: number): string => {
  const { count = 1, firstTimestamp } = event
  const last = humanDuration(now - lastSeen(event))
  return count > 1 && firstTimestamp
    ? `${last} (x${count} over ${humanDuration(now - Date.parse(firstTimestamp))})`
    : last
}
