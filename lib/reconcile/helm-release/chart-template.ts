import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { AccessDenied, requireNamespaceAllowed } from '../../hub/references/access-denied.ts'
import { everyNamespace } from '../../hub/references/references.ts'
import { chartRefOf, isChartOf } from '../../hub/runners/release-chart.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { NewEvent, Pass } from '../runtime/reconciler.ts'
import { chartOf, helmChartApiVersion } from './chart-of-release.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'
import { failure, stalled } from './failure.ts'
import { fieldManager, namespaceOf } from './names.ts'

const helmChartKind = { group: sourceGroup, kind: 'HelmChart' } as const

/** Applies the HelmChart in `spec.chart`, and deletes it once the spec no longer has one (HR-006 to HR-011). */
export const applyChartTemplate = async (draft: Draft, pass: Pass<HelmRelease>, context: Context): Promise<void> => {
  const { release } = draft
  const place = chartRefOf(release)
  const wanted = place && `${place.namespace}/${place.name}`
  if (draft.status.helmChart && draft.status.helmChart !== wanted) await deleteChart(draft, pass, context)
  if (!place) return
  try {
    requireNamespaceAllowed(place, namespaceOf(release), context.settings)
  } catch (error) {
    // helm-controller only logs this, and retries forever.
    if (error instanceof AccessDenied) throw stalled(draft, 'AccessDenied', error.message)
    throw error
  }
  try {
    await apply(draft, pass, context, chartOf(release, place))
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
    helmChartKind,
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

/** Deletes the HelmChart of this release, if it still exists. */
export const deleteChart = async (draft: Draft, pass: Pass<HelmRelease>, context: Context): Promise<void> => {
  const [namespace = '', name = ''] = (draft.status.helmChart ?? '').split('/')
  if (!name) return
  const ref: ObjectRef = { ...helmChartKind, namespace, name }
  const found = await context.references.anywhere<HelmChart>(draft.release, ref, ref, everyNamespace)
  if (pass.dryRun) throw new WouldWrite('the HelmChart goes')
  if (found && isChartOf(draft.release, found)) {
    await context.hubCluster().delete(helmChartApiVersion, ref, { propagation: 'Background', signal: pass.signal })
    pass.event(trace('HelmChartDeleted', `deleted HelmChart '${namespace}/${name}'`))
  }
  draft.set({ helmChart: null })
}

const trace = (reason: string, message: string): NewEvent => ({ severity: 'info', reason, message, quiet: true })
