/** RolloutRun: one set of revisions on its way through the stages of a Rollout. Made by the hub. Keelson's own kind. */
import { artifact } from './artifact.ts'
import { ageColumn, localReference } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup } from './references.ts'
import { rolloutInputKinds, rolloutSourceKinds } from './rollout.ts'
import { checkStages, type StageGates, strategyFields } from './rollout-stages.ts'
import { type FieldError, forbidden } from './schema/field-error.ts'
import { isSameJson } from './schema/same-json.ts'
import { flag, integer, list, map, object, oneOf, optional, type TypeOf, text } from './schema/schema.ts'

/**
 * Running: goes through its stages. Paused: no further cluster starts. RollingBack: units return to the revision before. The others are ends; a
 * run that Succeeded, was Aborted or has RolledBack still decides which revision a new unit takes.
 */
export const runPhases = [
  'Running',
  'Paused',
  'RollingBack',
  'Succeeded',
  'RolledBack',
  'Aborted',
  'Superseded',
] as const
/** Before: its gates are closed, nothing of the stage has started. Rolling: clusters start. After: all are done, further gates. */
export const stageSteps = ['Before', 'Rolling', 'After'] as const
export const pauseReasons = ['Requested', 'Failed'] as const
/** Which units a rollback returns: those of the stage under way, or all. */
export const rollbackScopes = ['Stage', 'All'] as const
export const runOrders = ['Pause', 'Resume', 'Abort', 'Rollback', 'Retry'] as const

const time = (description: string) => text(description, { format: 'date-time' })

const pinnedChart = object(
  'The chart of a HelmChart. HelmReleases with the same one in spec.chart take the artifact.',
  {
    chart: text('Name of the chart, or its path.'),
    sourceRef: object('Source of the chart, in the namespace of the HelmChart.', {
      kind: text('Kind of the source.'),
      name: text('Name of the source.'),
    }),
    verify: optional(
      object('How its signatures are verified.', {
        provider: text('Format of the signatures.'),
        secretRef: optional(localReference('Secret with the trusted public keys.')),
      }),
    ),
  },
)

const pinnedSource = object('A source, and the artifact that units take from it.', {
  kind: oneOf('Kind of the source.', rolloutSourceKinds),
  name: text('Name of the source.'),
  namespace: text('Namespace of the source.'),
  artifact,
  chart: optional(pinnedChart),
})

const pinnedInput = object('An input of builds, and the data that units take from it.', {
  kind: oneOf('Kind of the object.', rolloutInputKinds),
  name: text('Name of the object, in the namespace of the run.'),
  digest: text('Digest of the data.'),
  data: map('The data.', text('A value.')),
})

const order = object('What the run is to do. Each order is carried out once.', {
  type: oneOf('The order. Retry: failed units are tried again, a run that has ended begins again.', runOrders),
  id: text('Another one for each order, such as the time.', { minLength: 1, maxLength: 128 }),
  reason: optional(text('Why, for the record.', { maxLength: 1024 })),
})

const spec = object('The revisions, and the stages that they go through.', {
  rollout: text('Name of the Rollout.', { minLength: 1 }),
  sources: list('The artifacts that units take. Immutable.', pinnedSource, { minItems: 1, maxItems: 16 }),
  inputs: optional(list('The data that units build with. Immutable.', pinnedInput, { maxItems: 16 })),
  previous: optional(text('Name of the RolloutRun whose artifacts a rollback returns to. Immutable.')),
  isHotfix: optional(flag('It goes through the gates of a hotfix.')),
  ...strategyFields,
  order: optional(order),
})

const stageStatus = object('Progress of a stage.', {
  name: text('Name of the stage.'),
  clusters: integer('Number of clusters.'),
  ready: integer('Clusters whose units are ready at the revision.'),
  progressing: integer('Clusters that have started.'),
  failed: integer('Clusters with a unit that failed.'),
  skipped: integer('Clusters that do not respond.'),
  plans: optional(
    object('What its units would change, if a gate before it needs approval of that.', {
      units: integer('Number of units that are planned.'),
      summary: text('Objects that would be created, changed and deleted: `+1 ~2 -1`.'),
      digest: text('Digest over all plans. An Approval names it.'),
    }),
  ),
  failedClusters: optional(list('The first clusters that failed.', text('Name of a cluster.'))),
  startedAt: optional(time('When its first cluster started.')),
  finishedAt: optional(time('When its last cluster was done.')),
})

/** Stored of one run at most: a stage of hundreds of clusters may have as many gates. */
export const maxClosedGates = 40

const closedGate = object('A gate that is closed.', {
  stage: text('Name of the stage.'),
  step: oneOf('Whether the gate is before the stage, or the cluster, or after it.', ['Before', 'After']),
  cluster: optional(text('Name of the cluster, of a gate of each cluster.')),
  gate: text('Name of the gate.'),
  message: text('What it waits for.'),
  digest: optional(text('What an Approval must name to open it, if users can.')),
})

const status = object('Where the run is.', {
  phase: optional(oneOf('Phase of the run.', runPhases)),
  stage: optional(integer('Index of the stage under way.')),
  step: optional(oneOf('Step of the stage.', stageSteps)),
  since: optional(time('When the step began.')),
  pausedFor: optional(oneOf('Why it is paused.', pauseReasons)),
  rollback: optional(oneOf('Which units go back.', rollbackScopes)),
  accepted: optional(list('Failed clusters that a user has accepted by resuming, by stage.', integer('A number.'))),
  retriedAt: optional(time('Failures before this time do not count.')),
  passed: optional(
    list('Clusters of the stage under way that are through the gates after them.', text('Name of a cluster.')),
  ),
  order: optional(text('Id of the last order that was carried out.')),
  message: optional(text('What happened last.')),
  waitsFor: optional(list('What it waits for.', text('One thing.'))),
  closedGates: optional(
    list(
      `Closed gates: of the step under way, and of clusters at gates of their own, the first ${maxClosedGates}.`,
      closedGate,
    ),
  ),
  stages: optional(list('Progress by stage.', stageStatus)),
  startedAt: optional(time('When it began.')),
  finishedAt: optional(time('When it ended.')),
})

const schema = object('One set of revisions on its way through the stages of a Rollout.', {
  spec,
  status: optional(status),
})

export type RolloutRun = KubernetesObject & TypeOf<typeof schema>
export type RolloutRunStatus = TypeOf<typeof status>
export type StageStatus = TypeOf<typeof stageStatus>
export type ClosedGate = TypeOf<typeof closedGate>
export type StagePlansStatus = NonNullable<StageStatus['plans']>
export type PinnedSource = TypeOf<typeof pinnedSource>
export type PinnedChart = TypeOf<typeof pinnedChart>
export type PinnedInput = TypeOf<typeof pinnedInput>
export type RunPhase = (typeof runPhases)[number]
export type RunOrder = TypeOf<typeof order>

/** Gates of a stage: a hotfix has its own. */
export const gatesOfStage = ({ spec }: Pick<RolloutRun, 'spec'>, at: number): StageGates =>
  spec.isHotfix ? (spec.hotfix ?? {}) : (spec.stages[at] ?? {})

/** What a run rolls out: the revisions of its sources, and `NAME@DIGEST` of its inputs. */
export const revisionsIn = ({ spec: { sources, inputs = [] } }: Pick<RolloutRun, 'spec'>): readonly string[] => [
  ...sources.map(({ artifact }) => artifact.revision),
  ...inputs.map(({ name, digest }) => `${name}@${digest}`),
]

/** On a run: the user who gave the last order. Written by the API server. */
export const orderedByAnnotation = 'keelson.dev/ordered-by'

/** On a run: the name of its Rollout. */
export const rolloutLabel = 'fleet.keelson.dev/rollout'

/** Runs in order: `web-10` comes after `web-9`. */
export const latestLast = (runs: readonly RolloutRun[]): readonly RolloutRun[] => {
  const byNumber = new Intl.Collator('en', { numeric: true })
  return runs.toSorted((a, b) => byNumber.compare(a.metadata.name, b.metadata.name))
}

/** Another order is all that may change: what units are pinned to stays what it was. */
const checkImmutable = (
  { order: _, ...now }: RolloutRun['spec'],
  old: RolloutRun['spec'] | undefined,
): FieldError[] => {
  if (!old) return []
  const { order: __, ...before } = old
  return isSameJson(now, before)
    ? []
    : [forbidden('spec', 'only spec.order may be changed: a Rollout makes its own runs')]
}

export const rolloutRun: Kind<RolloutRun> = {
  group: fleetGroup,
  kind: 'RolloutRun',
  plural: 'rolloutruns',
  singular: 'rolloutrun',
  shortNames: [],
  categories: ['keelson'],
  namespaced: true,
  hasGeneration: true,
  check: ({ spec }, old) => [...checkStages(spec, 'spec'), ...checkImmutable(spec, old?.spec)],
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      status: true,
      schema,
      columns: [
        ageColumn,
        { name: 'Rollout', type: 'string', jsonPath: '.spec.rollout' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'Status', type: 'string', jsonPath: '.status.message' },
        { name: 'Revision', type: 'string', jsonPath: '.spec.sources[*].artifact.revision', priority: 1 },
      ],
    },
  ],
}
