import { Command } from 'commander'
import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { type Explanation, type ExplanationDetail, explain } from '../../foundations/fleet/explain.ts'
import { isHeldByPods } from '../../foundations/fleet/failing-pods.ts'
import { maxTailLines } from '../../foundations/fleet/live.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Event } from '../../foundations/kinds/event.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { namespace } from '../../foundations/kinds/namespace.ts'
import { describeRef, type KubernetesObject, type ObjectRef } from '../../foundations/kinds/object.ts'
import { ApiFailure, HubUnreachable } from '../../hub-client/hub-api.ts'
import { readFailingPods } from '../../hub-client/read-failing-pods.ts'
import { CommandFailed } from '../command-failed.ts'
import { describePods } from '../describe-pods.ts'
import { parseTarget } from '../flux-kinds.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { hubReader } from '../hub-api.ts'
import { lookupIn } from '../local-build.ts'
import { linesOfLog } from '../option-values.ts'
import { targetOf } from '../target-of.ts'
import { waitingDeletion } from '../waiting-deletion.ts'
import { eventTable } from './events.ts'

const examples = `
Examples:
  # Why is it not ready, and what happens next
  keelson why kustomization/my-app

  # Short names do
  keelson why -n apps hc/podinfo

  # Which image a policy has chosen, or why it has none
  keelson why -n apps imagepolicy/my-app

  # What the deletion of a namespace waits for
  keelson why namespace/apps

  # Which pods keep it from being ready, and the last lines of the containers that fail
  keelson why -n apps kustomization/my-app --logs
  keelson why -n apps helmrelease/podinfo --logs --tail 100

Exit codes: 0 when it is ready or suspended, 1 when it is not, also if its pods can't be read.
`

const defaultTail = 20

interface Options extends HubOptions {
  readonly logs: boolean
  readonly tail?: number
}

/** `keelson why`: the state of one object, since when, why, and what happens next. Exits with 1 if it is not ready. */
export const whyCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('why')
      .summary('explain the state of an object')
      .description('Explains the state of a Flux object: since when, why, and what happens next.')
      .argument('<object>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the object, if not given as KIND/NAME'),
  )
    .option('--logs', 'of a unit: show pods that are not ready, with the last lines of their containers', false)
    .option('--tail <lines>', `lines of each log, at most ${maxTailLines} (default: ${defaultTail})`, linesOfLog)
    .addHelpText('after', examples)
    .action(async (word: string, name: string | undefined, options: Options) => {
      const { logs, tail = defaultTail } = options
      if (options.tail !== undefined && !logs) throw new CommandFailed('--tail needs --logs')
      const { kind, name: found = name } = parseNamespace(word) ?? parseTarget(word)
      if (!found) throw new CommandFailed(`'${word}' does not name an object: use KIND/NAME`)
      const ref = {
        group: kind.group,
        kind: kind.kind,
        namespace: kind.namespaced ? options.namespace : '',
        name: found,
      }
      if (logs && !unitKinds.includes(kind.kind))
        throw new CommandFailed(`--logs is not for a ${kind.kind}: name a ${unitKinds.join(' or ')}`)
      await withHub(options, env, async hub => {
        const { object, isReady, text } = await explained(ref, kind, hub)
        output.write(text)
        if (!isReady) process.exitCode = 1
        if (logs) output.write(`\n${await podsOf(object, tail, hub)}`)
        else if (isHeldByPods(object)) output.write(`\n${hint}\n`)
      })
    })

const unitKinds = ['Kustomization', 'HelmRelease', 'ResourceSet']

const hint = 'Add --logs to see which pods are not ready, and the last lines of their containers.'

/** Why they can't be read belongs to the explanation, and so is no failure of the command. */
const podsOf = (unit: KubernetesObject, tailLines: number, hub: HubAccess): Promise<string> =>
  readFailingPods({ api: hubReader(hub), unit, tailLines, signal: hub.signal }).then(describePods, error => {
    const isReason = error instanceof ApiFailure || error instanceof HubUnreachable
    if (isReason && !hub.signal.aborted) return `Its pods can't be read: ${error.message}\n`
    throw error
  })

/** Namespaces are supported because their deletion may take long. */
const parseNamespace = (word: string): { readonly kind: Kind; readonly name?: string } | undefined => {
  const [, kind, name] = /^(namespaces?|ns)(?:\/(.+))?$/i.exec(word) ?? []
  return kind ? { kind: namespace, ...(name && { name }) } : undefined
}

const explained = async (ref: ObjectRef, kind: Kind, { cluster, signal }: HubAccess) => {
  const read = (wanted: ObjectRef, of: Kind) => cluster.get(apiVersionOf(of), wanted, { signal })
  const object = await read(ref, kind)
  if (!object) throw new CommandFailed(`${describeRef(ref)} not found`)
  const events = await eventsOf(cluster, ref, signal)
  const now = Date.now()
  const recent =
    typeof events === 'string' ? `${events}\n` : eventTable(events.slice(-5), { withNamespace: false, now })
  const text = ({ headline, details }: Omit<Explanation, 'isReady'>) =>
    `${[headline, ...details.map(line)].join('\n')}\n${recent && `\n${recent}`}`
  if (object.metadata.deletionTimestamp)
    return {
      object,
      isReady: false,
      text: text(await waitingDeletion(object, typeof events === 'string' ? [] : events, now, { cluster, signal })),
    }
  if (kind === namespace)
    return {
      ...{ object, isReady: true },
      text: text({ headline: `${describeRef(ref)} exists, and is not being deleted`, details: [] }),
    }
  const target = await targetOf(object, lookupIn(cluster, signal))
  const explanation = await explain(object, { target, now, read })
  return { object, isReady: explanation.isReady, text: text(explanation) }
}

/** In the order of time; or why they are not shown, if the user may read the object and not its Events, as with the role `flux-view`. */
const eventsOf = async (
  cluster: ClusterClient,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<readonly Event[] | string> => {
  const query = { apiVersion: 'v1', kind: 'Event', namespace: ref.namespace }
  const found = await cluster.list(query, { signal }).catch(error => {
    if (error instanceof ClusterError && error.code === 'forbidden') return error.message
    throw error
  })
  if (typeof found === 'string') return `Events not shown: ${found}`
  return (found.items as readonly Event[])
    .filter(({ involvedObject }) => involvedObject.kind === ref.kind && involvedObject.name === ref.name)
    .toSorted((a, b) => Date.parse(a.lastTimestamp ?? '') - Date.parse(b.lastTimestamp ?? ''))
}

const line = ([name, text, command]: ExplanationDetail): string =>
  `  ${name.padEnd(11)}${[text.trimEnd(), ...(command ? [command] : [])].join('; ').replaceAll('\n', `\n${' '.repeat(13)}`)}`
