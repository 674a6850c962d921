import type { Hub } from '../hub/hub.ts'
import { requestedAtAnnotation } from '../kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../kinds/object.ts'
import { describeRef, groupOf, refOf } from '../kinds/object.ts'
import type { Receiver, ReceiverTarget } from '../kinds/receiver.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'

interface TargetPorts {
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch'>
  readonly clock: Clock
  readonly random: Random
}

/** Asks all objects that a Receiver names to reconcile; says what went wrong with some of them. */
export const setOff = async (
  ports: TargetPorts,
  receiver: Receiver,
  noCrossNamespaceRefs: boolean,
): Promise<readonly string[]> => {
  const problems: string[] = []
  for (const target of receiver.spec.resources) {
    const namespace = target.namespace || receiver.metadata.namespace || ''
    try {
      if (noCrossNamespaceRefs && namespace !== receiver.metadata.namespace) {
        throw new Error('cross-namespace references are not allowed')
      }
      for (const ref of await targetsOf(ports.hub, target, namespace)) await requestReconciliation(ports, ref)
    } catch (error) {
      problems.push(`${target.kind}/${namespace}/${target.name}: ${(error as Error).message}`)
    }
  }
  return problems
}

const targetsOf = async (
  hub: TargetPorts['hub'],
  { apiVersion, kind, name, matchLabels }: ReceiverTarget,
  namespace: string,
): Promise<readonly ObjectRef[]> => {
  const group = apiVersion ? groupOf(apiVersion) : groups[kind]
  if (group === undefined) throw new Error(`apiVersion must be specified for kind "${kind}"`)
  if (name !== '*') return [{ group, kind, namespace, name }]
  if (!matchLabels) throw new Error("matchLabels field not set when using wildcard '*' as name")
  const labelSelector = Object.entries(matchLabels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
  const refs: ObjectRef[] = []
  let next: string | undefined
  do {
    const page = await hub.list<KubernetesObject>({ group, kind, namespace, labelSelector, limit: 500, continue: next })
    refs.push(...page.items.map(refOf))
    next = page.continue
  } while (next)
  return refs
}

const source = 'source.toolkit.fluxcd.io'
const image = 'image.toolkit.fluxcd.io'

/** Groups of the kinds whose apiVersion may be left out. */
const groups: Readonly<Record<string, string>> = {
  Bucket: source,
  GitRepository: source,
  HelmChart: source,
  HelmRepository: source,
  OCIRepository: source,
  ImageRepository: image,
  ArtifactGenerator: 'source.extensions.fluxcd.io',
}

const requestReconciliation = async ({ hub, clock, random }: TargetPorts, ref: ObjectRef): Promise<void> => {
  if (!(await hub.get(ref))) throw new Error(`unable to read ${describeRef(ref)}: not found`)
  const patch = { metadata: { annotations: { [requestedAtAnnotation]: newToken(clock.now(), random) } } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'notification-controller' })
}

/** A time in RFC 3339, with random digits beyond the milliseconds: two requests never look like one. */
const newToken = (now: number, random: Random): string => {
  const digits = String(Math.floor(random.fraction() * 1e6)).padStart(6, '0')
  return new Date(now).toISOString().replace('Z', `${digits}Z`)
}
