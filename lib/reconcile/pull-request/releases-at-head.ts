import type { OpenBuilds, SkippedHead } from '../../foundations/fleet/head-plan.ts'
import type { ReleaseAtHead } from '../../foundations/fleet/release-at-head.ts'
import { artifactOf } from '../../foundations/kinds/artifact.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { type HelmChart, helmChart } from '../../foundations/kinds/helm-chart.ts'
import { type HelmRelease, helmRelease } from '../../foundations/kinds/helm-release.ts'
import { type Kustomization, kustomization } from '../../foundations/kinds/kustomization.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { kustomizeGroup } from '../../foundations/kinds/references.ts'
import { decode } from '../../foundations/kinds/schema/decode.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { validateSchema } from '../../foundations/kinds/schema/validate-schema.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import { gitChartAtHead, type SourceAtHead } from '../helm-release/git-chart-at-head.ts'
import type { KustomizationPlanner } from '../kustomization/plan-head.ts'
import type { FetchedHead } from './fetch-heads.ts'

/** A Kustomization of a fetched source, and what the repository alone has of it on the hub, if it is to be applied there. */
export interface UnitAtHead {
  readonly unit: Kustomization
  readonly onHub: OpenBuilds | undefined
}

interface Ports {
  readonly references: References
  readonly kustomizations: Pick<KustomizationPlanner, 'openBase'>
}

/** A release whose plan is not to be made has none to begin with. */
export type PossibleRelease = ReleaseAtHead | (SkippedHead & { readonly unit: HelmRelease })

/**
 * The HelmReleases that the head of a pull request may change: those whose charts are files of its sources, and those that its Kustomizations change on the
 * hub, themselves or a ConfigMap with their values. Each as the repository has it, as the hub may have values of Secrets in the place of variables.
 */
export const releasesAtHead = async (
  heads: readonly FetchedHead[],
  planned: readonly UnitAtHead[],
  ports: Ports,
  signal: AbortSignal,
): Promise<readonly PossibleRelease[]> => {
  const { references } = ports
  const sources = heads.flatMap(({ source, artifact: head }): SourceAtHead | [] => {
    const base = artifactOf(source)
    const { namespace = '', name } = source.metadata
    return base && head ? { namespace, name, base, head } : []
  })
  const onHub = planned.flatMap(({ onHub }) => onHub ?? [])
  const configMaps = {
    base: onHub.flatMap(({ base }) => ofKind(base, 'ConfigMap')),
    head: onHub.flatMap(({ head }) => ofKind(head, 'ConfigMap')),
  }
  const found = [
    ...(await releasesOfCharts(sources, references)),
    ...(await releasesWithValuesOf(changedIn(configMaps), references)),
    ...(await Promise.all(
      onHub.flatMap(({ base, head }) =>
        changedIn({ base: ofKind(base, 'HelmRelease'), head: ofKind(head, 'HelmRelease') }).map(object =>
          liveOf(object, references),
        ),
      ),
    )),
  ]
  const units = new Map(found.flatMap(unit => (unit ? [[refKey(refOf(unit)), unit] as const] : [])))
  const wanted = [...units.values()].filter(unit => !unit.metadata.deletionTimestamp && !isSuspended(unit))
  const releases = await Promise.all(
    wanted.map(async (unit): Promise<PossibleRelease | undefined> => {
      const specs = await specsOf(unit, planned, ports, signal)
      if (specs === 'unknown') return { ...unknown, unit }
      if (!specs) return undefined
      const chart = await gitChartAtHead(unit, specs.head, sources, references)
      return { unit, ...specs, ...(chart && { chart }), configMaps: valuesOf(unit, specs, configMaps) }
    }),
  )
  return releases.filter(release => release !== undefined)
}

const unknown: SkippedHead = {
  type: 'skipped',
  open: 'its values may be those of Secrets: no Kustomization of the pull request has it',
}

/** Those that it takes values of. */
const valuesOf = (
  { metadata }: HelmRelease,
  specs: Pick<ReleaseAtHead, 'base' | 'head'>,
  { base, head }: OpenBuilds,
): OpenBuilds => {
  const names = new Set([specs.base, specs.head].flatMap(({ valuesFrom = [] }) => valuesFrom.map(({ name }) => name)))
  const isTaken = (object: KubernetesObject) =>
    object.metadata.namespace === metadata.namespace && names.has(object.metadata.name)
  return { base: base.filter(isTaken), head: head.filter(isTaken) }
}

const ofKind = (objects: readonly KubernetesObject[], kind: string): readonly KubernetesObject[] =>
  objects.filter(object => object.kind === kind && object.metadata.namespace !== undefined)

/** Objects of the head that the base does not have, or has otherwise. */
const changedIn = ({ base, head }: OpenBuilds): readonly KubernetesObject[] => {
  const before = new Map(base.map(object => [refKey(refOf(object)), object]))
  return head.filter(object => !isSameJson(before.get(refKey(refOf(object))), object))
}

const releasesOfCharts = async (
  sources: readonly SourceAtHead[],
  references: References,
): Promise<readonly HelmRelease[]> => {
  const charts = await Promise.all(
    sources.map(({ namespace, name }) =>
      references.referrersOf<HelmChart>({ group: helmChart.group, kind: 'GitRepository', namespace, name }, helmChart),
    ),
  )
  const releases = charts.flat().map(chart => references.referrersOf<HelmRelease>(refOf(chart), helmRelease))
  return (await Promise.all(releases)).flat()
}

const releasesWithValuesOf = async (
  configMaps: readonly KubernetesObject[],
  references: References,
): Promise<readonly HelmRelease[]> => {
  const releases = configMaps.map(object => references.referrersOf<HelmRelease>(refOf(object), helmRelease))
  return (await Promise.all(releases)).flat().filter(({ spec }) => (spec.valuesFrom ?? []).length > 0)
}

const liveOf = (object: KubernetesObject, references: References): Promise<HelmRelease | undefined> => {
  const { name, namespace = '' } = object.metadata
  return references.anywhere<HelmRelease>(object, helmRelease, { name, namespace }, everyNamespace)
}

/** Undefined if its Kustomization has no such release any more. */
const specsOf = async (
  unit: HelmRelease,
  planned: readonly UnitAtHead[],
  { references, kustomizations }: Ports,
  signal: AbortSignal,
): Promise<Pick<ReleaseAtHead, 'base' | 'head'> | 'unknown' | undefined> => {
  const live = { base: unit.spec, head: unit.spec }
  const place = ownerOf(unit)
  if (!place) return live
  const owner = planned.find(
    ({ unit: { metadata } }) => metadata.name === place.name && metadata.namespace === place.namespace,
  )
  if (owner?.onHub) {
    const { base, head } = owner.onHub
    const [before, after] = [specIn(base, unit), specIn(head, unit)]
    if (!after) return undefined
    return after === 'invalid' || before === 'invalid' ? 'unknown' : { base: before ?? after, head: after }
  }
  const by = owner?.unit ?? (await references.anywhere<Kustomization>(unit, kustomization, place, everyNamespace))
  if (!by || !usesSecrets(by)) return live
  if (!owner) return 'unknown'
  const spec = specIn(await kustomizations.openBase(owner.unit, signal), unit)
  return spec === undefined || spec === 'invalid' ? 'unknown' : { base: spec, head: spec }
}

/** The Kustomization that has applied an object. */
const ownerOf = ({ metadata: { labels = {} } }: KubernetesObject) => {
  const [name, namespace] = [labels[`${kustomizeGroup}/name`], labels[`${kustomizeGroup}/namespace`]]
  return name !== undefined && namespace !== undefined ? { name, namespace } : undefined
}

const usesSecrets = ({ spec: { decryption, postBuild } }: Kustomization): boolean =>
  decryption !== undefined || (postBuild?.substituteFrom ?? []).some(({ kind }) => kind === 'Secret')

/** What a build has of a release, with the defaults of its kind. */
const specIn = (
  objects: readonly KubernetesObject[],
  unit: HelmRelease,
): HelmRelease['spec'] | 'invalid' | undefined => {
  const found = objects.find(
    ({ kind, metadata }) =>
      kind === unit.kind && metadata.name === unit.metadata.name && metadata.namespace === unit.metadata.namespace,
  )
  if (!found) return undefined
  const version = helmRelease.versions[0]!
  const { object } = decode({ kind: helmRelease, version }, found)
  const isValid = validateSchema(version.schema, { spec: object.spec }).length === 0
  return isValid ? (object as HelmRelease).spec : 'invalid'
}
