import { type Artifact, artifactOf } from '../../foundations/kinds/artifact.ts'
import { isMadeElsewhere } from '../../foundations/kinds/external-artifact.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { AccessDenied, requireNamespaceAllowed } from '../../hub/references/access-denied.ts'
import { Halt } from '../runtime/halt.ts'
import { pinnedArtifact } from '../source-artifact/pinned-artifact.ts'
import { requesterOf } from '../source-artifact/requester.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'
import { failure, stalled, waiting } from './failure.ts'
import { namespaceOf } from './names.ts'

const group = 'source.toolkit.fluxcd.io'

export interface ChartSource {
  readonly kind: 'HelmChart' | 'OCIRepository' | 'ExternalArtifact'
  /** Namespace and name. */
  readonly place: string
  readonly artifact: Artifact
  /** The user who requested the reconcile that found the artifact, as far as is known. */
  readonly requestedBy?: string | undefined
  /** Another controller has made it: it is downloaded from its URL, never read from the store. */
  readonly isForeign: boolean
}

type Source = KubernetesObject & {
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly Condition[]
    readonly artifact?: Artifact
  }
}

/** The artifact with the chart (HR-012, HR-021, HR-022). Halts if access is denied, or if it is missing or not ready. */
export const resolveSource = async (draft: Draft, context: Context): Promise<ChartSource> => {
  const { release } = draft
  const { kind, namespace, name } = referenceOf(draft)
  const source = await read(draft, context)
  if (!source) {
    const message = `could not get Source object: ${kind}.${group} "${name}" not found`
    throw failure(draft, 'ArtifactFailed', message)
  }
  draft.clearReady('AccessDenied', 'ArtifactFailed')
  const pinned = await pinnedArtifact(release, context.references).catch(error => {
    throw failure(draft, 'ArtifactFailed', `could not get Source object: ${errorMessage(error)}`)
  })
  const isForeign = !pinned && isMadeElsewhere(source)
  const artifact = pinned ?? (isForeign ? source.status?.artifact : artifactOf(source))
  const problem = pinned ? undefined : problemOf(source, artifact, kind)
  if (problem !== undefined || !artifact) {
    draft.mark('Ready', 'False', 'SourceNotReady', `${kind} '${namespace}/${name}' is not ready: ${problem}`)
    throw new Halt<HelmRelease>(waiting(draft, context.settings.requeueDependencyMs))
  }
  draft.clearReady('SourceNotReady')
  return { kind, place: `${namespace}/${name}`, artifact, requestedBy: requesterOf(source), isForeign }

  async function read(draft: Draft, { references, settings }: Context): Promise<Source | undefined> {
    try {
      requireNamespaceAllowed({ kind, namespace, name }, namespaceOf(release), settings)
      if (kind === 'ExternalArtifact' && !settings.externalArtifact)
        throw new AccessDenied({ kind, namespace, name }, 'ExternalArtifact feature gate is disabled')
      return await references.anywhere<Source>(release, { group, kind }, { namespace, name }, settings)
    } catch (error) {
      if (error instanceof AccessDenied) throw stalled(draft, 'AccessDenied', error.message)
      throw failure(draft, 'ArtifactFailed', `could not get Source object: ${errorMessage(error)}`)
    }
  }
}

const referenceOf = ({ release, status }: Draft) => {
  const { chartRef } = release.spec
  if (chartRef)
    return { kind: chartRef.kind, namespace: chartRef.namespace || namespaceOf(release), name: chartRef.name }
  const [namespace = '', name = ''] = (status.helmChart ?? '').split('/')
  return { kind: 'HelmChart', namespace, name } as const
}

const problemOf = (
  { metadata, status }: Source,
  artifact: Artifact | undefined,
  kind: ChartSource['kind'],
): string | undefined => {
  const missing = artifact ? undefined : 'does not have an artifact'
  if (kind === 'ExternalArtifact') return missing
  if (metadata.generation !== status?.observedGeneration) {
    const ready = conditionOf(status?.conditions, 'Ready')
    return ready?.status === 'False' ? ready.message : 'latest generation of object has not been reconciled'
  }
  const stalledCondition = conditionOf(status?.conditions, 'Stalled')
  return stalledCondition?.status === 'True' ? stalledCondition.message : missing
}
