import { durationMs, formatDuration } from '../../foundations/kinds/duration.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { AccessDenied, requireNamespaceAllowed } from '../../hub/references/access-denied.ts'
import { everyNamespace } from '../../hub/references/references.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { NewEvent, Pass } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'
import { failure, stalled } from './failure.ts'
import { fieldManager, namespaceOf } from './names.ts'

const apiVersion = 'source.toolkit.fluxcd.io/v1'
const group = 'source.toolkit.fluxcd.io'
const ownerGroup = 'helm.toolkit.fluxcd.io'
/** Applies the HelmChart in `spec.chart`, and deletes it once the spec no longer has one (HR-006 to HR-011). */
export const applyChartTemplate = async (draft: Draft, pass: Pass<HelmRelease>, context: Context): Promise<void> => {
  const { release } = draft
  const { chart } = release.spec
  const name = `${namespaceOf(release)}-${release.metadata.name}`
  const namespace = chart?.spec.sourceRef.namespace || namespaceOf(release)
  const wanted = chart && `${namespace}/${name}`
  if (draft.status.helmChart && draft.status.helmChart !== wanted) await deleteChart(draft, pass, context)
  if (!chart) return
  try {
    requireNamespaceAllowed({ kind: 'HelmChart', namespace, name }, namespaceOf(release), context.settings)
  } catch (error) {
    // helm-controller only logs this, and retries forever.
    if (error instanceof AccessDenied) throw stalled(draft, 'AccessDenied', error.message)
    throw error
  }
  try {
    await apply(draft, pass, context, chartOf(release, { namespace, name }))
  } catch (error) {
    pass.signal.throwIfAborted()
    const message = `failed to run server-side apply: ${errorMessage(error)}`
    throw failure(draft, 'HelmChartSyncErr', message, trace('HelmChartSyncErr', message))
  }
  draft.set({ helmChart: wanted! })
}

const apply = async (draft: Draft, pass: Pass<HelmRelease>, context: Context, chart: HelmChart): Promise<void> => {
  const { references, hubCluster } = context
  const { namespace = '', name } = chart.metadata
  const before = await references.anywhere<HelmChart>(
    draft.release,
    { group, kind: 'HelmChart' },
    { namespace, name },
    everyNamespace, // access to the namespace has been checked
  )
  const dryRun = pass.dryRun !== undefined
  const known = dryRun && before && `${before.metadata.uid} ${before.metadata.resourceVersion} ${JSON.stringify(chart)}`
  if (known && context.unchangedCharts.get(known)) return
  const after = await hubCluster().apply(chart, { fieldManager, force: true, dryRun, signal: pass.signal })
  if (before && isSame(before, after)) {
    if (known) context.unchangedCharts.set(known, true)
    return
  }
  const { kind, name: source } = chart.spec.sourceRef
  const [reason, done] = before ? ['HelmChartConfigured', 'Configured'] : ['HelmChartCreated', 'Created']
  pass.event(trace(reason, `${done} HelmChart/${namespace}/${name} with SourceRef '${kind}/${namespace}/${source}'`))
}

/** Ignores what the HelmChart's own controller writes. */
const isSame = ({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): boolean =>
  a.generation === b.generation &&
  isSameJson(a.labels ?? {}, b.labels ?? {}) &&
  isSameJson(a.annotations ?? {}, b.annotations ?? {})

const chartOf = (release: HelmRelease, place: { readonly namespace: string; readonly name: string }): HelmChart => {
  const { metadata, spec } = release.spec.chart!
  const { sourceRef, verify, interval = release.spec.interval, ...rest } = spec
  const owner = {
    [`${ownerGroup}/name`]: release.metadata.name,
    [`${ownerGroup}/namespace`]: namespaceOf(release),
  }
  return {
    apiVersion,
    kind: 'HelmChart',
    metadata: {
      ...place,
      labels: { ...metadata?.labels, ...owner },
      ...(metadata?.annotations && { annotations: metadata.annotations }),
    },
    spec: {
      ...rest,
      interval: formatDuration(durationMs(interval)), // in Go's format
      sourceRef: { kind: sourceRef.kind, name: sourceRef.name },
      ...(verify && {
        verify: { provider: verify.provider, ...(verify.secretRef && { secretRef: verify.secretRef }) },
      }),
    },
  }
}

/** Deletes the HelmChart of this release, if it still exists. */
export const deleteChart = async (draft: Draft, pass: Pass<HelmRelease>, context: Context): Promise<void> => {
  const [namespace = '', name = ''] = (draft.status.helmChart ?? '').split('/')
  if (!name) return
  const ref: ObjectRef = { group, kind: 'HelmChart', namespace, name }
  const found = await context.references.anywhere<HelmChart>(draft.release, ref, ref, everyNamespace)
  if (pass.dryRun) throw new WouldWrite('the HelmChart goes')
  if (found && isOwnedBy(found, draft.release)) {
    await context.hubCluster().delete(apiVersion, ref, { propagation: 'Background', signal: pass.signal })
    pass.event(trace('HelmChartDeleted', `deleted HelmChart '${namespace}/${name}'`))
  }
  draft.set({ helmChart: null })
}

/** Others can write a status: only a HelmChart that was created for this release is deleted. */
const isOwnedBy = ({ metadata }: HelmChart, release: HelmRelease): boolean =>
  metadata.labels?.[`${ownerGroup}/name`] === release.metadata.name &&
  metadata.labels?.[`${ownerGroup}/namespace`] === namespaceOf(release)

const trace = (reason: string, message: string): NewEvent => ({ severity: 'info', reason, message, quiet: true })
