/** Rollout: units of many clusters take new revisions of their sources in stages. Keelson's own kind. */
import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import { labelSelector } from './flux-operator.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup, sourceGroup } from './references.ts'
import { checkStages, inlineStrategyFields } from './rollout-stages.ts'
import { rolloutStrategy } from './rollout-strategy.ts'
import { flag, integer, list, object, oneOf, optional, type TypeOf, text } from './schema/schema.ts'

/** On a Namespace: the Rollouts whose units may be in it, as `NAME` or `NAMESPACE/NAME`, separated by commas. A Rollout adds itself to its own. */
export const rolloutsAnnotation = 'keelson.dev/rollouts'
/** On a unit: the RolloutRun whose revision it takes, and since when: `NAMESPACE/NAME@TIME`. */
export const pinAnnotation = 'keelson.dev/pin'
/** On a unit: the RolloutRun whose revision is planned, and applied only as its plan was approved: `NAMESPACE/NAME`. */
export const proposedAnnotation = 'keelson.dev/proposed'
/** On a source: the revision that is a hotfix. On an artifact, in its metadata: `true`. */
export const hotfixAnnotation = 'keelson.dev/hotfix'
/** Condition type of a unit that takes a revision from a RolloutRun. */
export const pinnedCondition = 'Pinned'
/** Condition type of a unit whose change by a proposed revision is planned. */
export const plannedCondition = 'Planned'

export const rolloutSourceKinds = ['GitRepository', 'OCIRepository', 'Bucket', 'HelmChart', 'ExternalArtifact'] as const

export const rolloutSource = object('A source whose revisions are rolled out.', {
  kind: oneOf('Kind of the source.', rolloutSourceKinds),
  name: text('Name of the source.', { minLength: 1 }),
  namespace: optional(text('Namespace of the source; that of the Rollout when empty.')),
})

export const rolloutInputKinds = ['ConfigMap'] as const

const rolloutInput = object('An object whose data units build with.', {
  kind: oneOf('Kind of the object.', rolloutInputKinds),
  name: text('Name of the object, in the namespace of the Rollout.', { minLength: 1 }),
})

const unitKinds = ['Kustomization', 'HelmRelease'] as const

const spec = object(
  'Which units take revisions of which sources, and how.',
  {
    sources: list(
      'Sources whose revisions are rolled out, together as a set. Units take other sources as usual.',
      rolloutSource,
      { minItems: 1, maxItems: 16 },
    ),
    inputs: optional(
      list(
        'ConfigMaps that move with the sources: units in the namespace of the Rollout which name them in substituteFrom or valuesFrom take their data as their run has it. 64 KiB at most.',
        rolloutInput,
        { maxItems: 16 },
      ),
    ),
    units: optional(
      object(
        'The units: those that use one of the sources, in the namespace of the Rollout, and in Namespaces whose annotation keelson.dev/rollouts names it.',
        {
          kinds: optional(
            list('Kinds of the units. Defaults to both.', oneOf('A kind.', unitKinds), {
              'x-kubernetes-list-type': 'set',
            }),
          ),
          selector: optional(labelSelector('Labels of the units. Defaults to all.')),
        },
      ),
    ),
    strategyRef: optional(
      localReference(
        'RolloutStrategy in the namespace of the Rollout, in place of stages and all that is set with them.',
      ),
    ),
    ...inlineStrategyFields,
    interval: optional(
      duration('Time between two checks for new units while nothing is under way.', { default: '10m' }),
    ),
    historyLimit: optional(integer('Number of ended RolloutRuns to keep.', { minimum: 1, maximum: 100, default: 5 })),
    suspend: optional(flag('Suspend the Rollout: units stay at their revisions, and no run begins or continues.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'exactly one of strategyRef or stages must be set',
        rule: 'has(self.strategyRef) != has(self.stages)',
      },
      {
        message:
          'progressDeadline, onFailure, offline, supersede and hotfix may not be set with strategyRef: the RolloutStrategy has them',
        rule: '!has(self.strategyRef) || ![has(self.progressDeadline), has(self.onFailure), has(self.offline), has(self.supersede), has(self.hotfix)].exists(it, it)',
      },
    ],
  },
)

const status = object(
  'The state of the Rollout.',
  {
    ...reconciledStatus,
    currentRun: optional(text('Name of the latest RolloutRun.')),
    currentRevision: optional(text('Revisions of the latest RolloutRun.')),
    lastRun: optional(integer('Number of the latest RolloutRun.', { format: 'int64' })),
    stableRun: optional(text('Name of the latest RolloutRun that has succeeded.')),
    stage: optional(text('Stage under way.')),
    units: optional(integer('Number of units.')),
    unassigned: optional(integer('Number of units that no stage selects.')),
  },
  initialStatus,
)

const schema = object('A rollout of revisions over clusters, in stages.', { spec, status: optional(status) })

export type Rollout = KubernetesObject & TypeOf<typeof schema>
export type RolloutSource = TypeOf<typeof rolloutSource>
export type RolloutUnitKind = (typeof unitKinds)[number]

/** The kinds of units that a Rollout pins: those of its spec, or all that take artifacts if it lists none. */
export const unitKindsOf = ({ spec }: Rollout): readonly RolloutUnitKind[] =>
  spec.units?.kinds?.length ? spec.units.kinds : unitKinds

export const rollout: Kind<Rollout> = {
  group: fleetGroup,
  kind: 'Rollout',
  plural: 'rollouts',
  singular: 'rollout',
  shortNames: [],
  categories: ['all', 'keelson'],
  namespaced: true,
  hasGeneration: true,
  check: ({ spec }) => checkStages(spec, 'spec'),
  references: ({ spec }, find) => [
    ...(spec?.sources ?? []).map(source => find.object(source, { group: sourceGroup })),
    ...(spec?.inputs ?? []).map(input => find.object(input, { group: '' })),
    find.object(spec?.strategyRef, { group: fleetGroup, kind: rolloutStrategy.kind }),
    find.any(fleetGroup, 'RolloutRun'),
  ],
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      status: true,
      schema,
      columns: [
        ageColumn,
        ...readyColumns,
        { name: 'Run', type: 'string', jsonPath: '.status.currentRun' },
        { name: 'Stage', type: 'string', jsonPath: '.status.stage' },
        { name: 'Units', type: 'integer', jsonPath: '.status.units', priority: 1 },
        { name: 'Revision', type: 'string', jsonPath: '.status.currentRevision', priority: 1 },
      ],
    },
  ],
}

/** Milliseconds between two checks while nothing is under way. */
export const restIntervalOf = ({ spec }: Rollout): number => durationMs(spec.interval ?? '10m')
