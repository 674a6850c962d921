import type { ComponentChildren } from 'preact'
import { neededBy } from '../../foundations/fleet/needed-by.ts'
import { statusCondition } from '../../foundations/fleet/object-state.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { type Pin, pinOf, runOfPin } from '../../foundations/rules/pin.ts'
import { clusterKind } from '../../hub-client/fleet-kinds.ts'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { revisionText } from '../model/phrases.ts'
import { revisionOf } from '../model/revision.ts'
import { objectHref } from '../model/route.ts'
import { shown } from '../model/shown-state.ts'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'

interface Spec {
  readonly interval?: string
  readonly serviceAccountName?: string
  readonly url?: string
  readonly path?: string
  readonly prune?: boolean
}

/** What is asked about an object first: revision, source, cluster, when it is reconciled, as whom. */
export const ObjectFacts = ({ view }: { readonly view: ObjectView }) => {
  const { object, kind, access } = view
  const spec = (object.spec ?? {}) as Spec
  const { lastAttemptedRevision: tried } = (object.status ?? {}) as { readonly lastAttemptedRevision?: string }
  const revision = revisionOf(object)
  const pin = pinOf(object)
  return (
    <dl class="facts">
      <Fact name="Revision" title={revision}>
        {revision && <span class="mono">{revisionText(revision)}</span>}
      </Fact>
      <Fact name="Tried" title={tried}>
        {tried && tried !== revision && <span class="mono">{revisionText(tried)}</span>}
      </Fact>
      {kind === clusterKind ? <ClusterFacts cluster={object as unknown as Cluster} /> : null}
      <Fact name="Signature" title={statusCondition(object, 'SourceVerified')?.message}>
        {verificationOf(object)}
      </Fact>
      <Fact name="Needs">
        {neededBy(object as Parameters<typeof neededBy>[0]).map(({ kind: of, namespace, name }) => {
          const ref = { kind: of ?? '', namespace: namespace || object.metadata.namespace, name: name ?? '' }
          return (
            <a key={`${ref.kind} ${ref.name}`} href={objectHref(ref)}>
              {`${ref.kind} ${ref.name}`}
            </a>
          )
        })}
      </Fact>
      <Fact name="Cluster">
        {kind !== clusterKind && access && <a href={withQuery('/units', { q: access.name })}>{access.name}</a>}
      </Fact>
      <Fact name="Held by">
        {pin && !undoOf(object) && <a href={objectHref({ kind: 'Rollout', ...rolloutOfPin(pin) })}>{runOfPin(pin)}</a>}
      </Fact>
      <Fact name="Address" title={spec.url}>
        {spec.url}
      </Fact>
      <Fact name="Path">{spec.path && <span class="mono">{spec.path}</span>}</Fact>
      <Fact name="Every">{spec.interval}</Fact>
      <Fact name="Acts as">
        {spec.serviceAccountName && (
          <span class="mono">{`${object.metadata.namespace}/${spec.serviceAccountName}`}</span>
        )}
      </Fact>
      <Fact name="Created">
        <Ago time={object.metadata.creationTimestamp} />
      </Fact>
    </dl>
  )
}

/** A Rollout names its runs after itself. */
const rolloutOfPin = ({ namespace, run }: Pin) => ({ namespace, name: run.replace(/-\d+$/, '') })

/** Whether the signature of a source was verified. */
const verificationOf = (object: KubernetesObject) => {
  const verified = statusCondition(object, 'SourceVerified')
  if (!verified) return undefined
  const isVerified = verified.status === 'True'
  return <State of={shown(isVerified ? 'ready' : 'failing', isVerified ? 'Verified' : 'Not verified')} />
}

const ClusterFacts = ({ cluster }: { readonly cluster: Cluster }) => {
  const { server, kubernetesVersion, latency, credential, lastContactTime, conditions } = cluster.status ?? {}
  // While it responds this is up to six hours old.
  const lastSeen = isConditionTrue(conditions, 'Reachable') ? undefined : lastContactTime
  return (
    <>
      <Fact name="Server">{server && <span class="mono">{server}</span>}</Fact>
      <Fact name="Kubernetes">{kubernetesVersion}</Fact>
      <Fact name="Response">{latency}</Fact>
      <Fact name="Last seen">{lastSeen && <Ago time={lastSeen} />}</Fact>
      <Fact name="Credential">{credential?.type}</Fact>
      <Fact name="Valid until">{credential?.validUntil && <Ago time={credential.validUntil} />}</Fact>
    </>
  )
}

/** Left out without a value. */
const Fact = ({
  name,
  title,
  children,
}: {
  readonly name: string
  readonly title?: string | undefined
  readonly children?: ComponentChildren
}) => {
  const isEmpty = !children || (Array.isArray(children) && children.length === 0)
  return isEmpty ? null : (
    <div title={title}>
      <dt>{name}</dt>
      <dd class="break">{children}</dd>
    </div>
  )
}
