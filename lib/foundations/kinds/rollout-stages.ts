/** The stages and gates of a Rollout, in its own spec or in a RolloutStrategy. Each RolloutRun keeps those that it began with. */
import { durationMs } from './duration.ts'
import { duration } from './flux.ts'
import { labelSelector } from './flux-operator.ts'
import { type FieldError, forbidden, invalid } from './schema/field-error.ts'
import {
  integer,
  list,
  type Optional,
  object,
  oneOf,
  optional,
  type Schema,
  type TypeOf,
  text,
} from './schema/schema.ts'
import { checkWindows, windows } from './window.ts'

const count = (description: string, fallback: number): Schema<number | string> => ({
  description,
  default: fallback,
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
})

const query = object('A request whose response decides.', {
  url: text(
    'URL that is fetched with GET: of any service, or of the query API of Prometheus (`https://prometheus/api/v1/query?query=...`). For a gate of each cluster, `{cluster}` and `{namespace}` are those of the Cluster.',
    { minLength: 1, maxLength: 4096, pattern: '^https?://' },
  ),
  expression: text(
    'CEL expression over `status` (the HTTP status), `body` (the parsed JSON) and `value` (the number of the first sample, of a response of Prometheus) that is true if the gate is open.',
    { minLength: 1, maxLength: 4096 },
  ),
  interval: optional(duration('Time between two requests.', { default: '1m' })),
})

const approvalSubjects = ['Artifacts', 'Plans'] as const

const gate = object(
  'A gate: the run waits until it is open.',
  {
    name: optional(text('Name of the gate, for messages. Defaults to its type.', { maxLength: 63 })),
    wait: optional(duration('Open after this time.')),
    healthyFor: optional(
      duration(
        'Open when all units of the stage have been ready for this time. Before a stage: those of the stages before. Of a cluster: its own.',
      ),
    ),
    expression: optional(
      text(
        'CEL expression over `units` and `clusters` (of the stage; before it: of the stages before; of a cluster: its own) that is true if the gate is open.',
        { minLength: 1, maxLength: 4096 },
      ),
    ),
    query: optional(query),
    windows: optional(windows('Open while these windows allow changes.')),
    approval: optional(
      object('Open when users have approved the stage.', {
        minApprovals: optional(integer('Number of users who must approve.', { minimum: 1, maximum: 16, default: 1 })),
        of: optional(
          oneOf(
            'What is approved. Artifacts: those of the run. Plans: what they would change on each cluster of the stage; only before a stage.',
            approvalSubjects,
            { default: 'Artifacts' },
          ),
        ),
      }),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'exactly one of wait, healthyFor, expression, query, windows or approval must be set',
        rule: '[has(self.wait), has(self.healthyFor), has(self.expression), has(self.query), has(self.windows), has(self.approval)].filter(it, it).size() == 1',
      },
    ],
  },
)

const gates = (description: string) => list(description, gate, { maxItems: 8 })

const eachCluster = object('Gates of each cluster.', {
  before: optional(
    gates('Gates before a cluster, when its turn comes. While they are closed, it takes up a place of maxConcurrency.'),
  ),
  after: optional(
    gates(
      'Gates after a cluster, when its units are ready. Until they are open, it takes up a place of maxConcurrency.',
    ),
  ),
})

const stage = object('Clusters that take a revision together.', {
  name: text('Name of the stage.', { minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' }),
  clusterSelector: optional(
    labelSelector(
      'Labels of the Clusters. A cluster belongs to the first stage that selects it. Without it: all units that are left, also those without a Cluster.',
    ),
  ),
  maxConcurrency: optional(count('Clusters under way at a time: a number, or a percentage of the stage.', 1)),
  maxFailures: optional(count('Clusters that may fail: a number, or a percentage of the stage.', 0)),
  before: optional(gates('Gates before the first cluster of the stage.')),
  after: optional(gates('Gates after the last cluster of the stage.')),
  eachCluster: optional(eachCluster),
})

/** Finish: the run ends first. ReplaceAtStage: the newer one begins between two stages. ReplaceNow: at once. */
export const supersedeRules = ['Finish', 'ReplaceAtStage', 'ReplaceNow'] as const
export const failureActions = ['Pause', 'Rollback', 'RollbackStage', 'Continue'] as const
export const offlineRules = ['Skip', 'Block'] as const

/** How a revision is rolled out: all fields of a RolloutStrategy. A RolloutRun takes them over. */
export const strategyFields = {
  stages: list('Stages, in order.', stage, {
    minItems: 1,
    maxItems: 32,
    'x-kubernetes-validations': [
      { message: 'stage names must be unique', rule: 'self.all(one, self.exists_one(other, other.name == one.name))' },
    ],
  }),
  progressDeadline: optional(
    duration('How long a unit may take until it is ready at the revision. Then it counts as failed.', {
      default: '10m',
    }),
  ),
  onFailure: optional(
    oneOf('What happens when more clusters of a stage fail than may.', failureActions, { default: 'Pause' }),
  ),
  offline: optional(
    oneOf(
      'Skip: a cluster that does not respond holds nothing up, and takes the revision when it is back. Block: its stage waits.',
      offlineRules,
      {
        default: 'Skip',
      },
    ),
  ),
  supersede: optional(
    oneOf('When a newer revision takes over. A run that has failed never holds it up.', supersedeRules, {
      default: 'Finish',
    }),
  ),
  hotfix: optional(
    object(
      'Gates of a hotfix, instead of those of the stages. A hotfix is a revision that its source names in the annotation keelson.dev/hotfix, or an artifact with that annotation; it takes over at once.',
      {
        before: optional(gates('Gates before each stage.')),
        after: optional(gates('Gates after each stage.')),
        eachCluster: optional(eachCluster),
      },
    ),
  ),
} as const

/** Optional, and without a default value: a field is there only if it was written. */
const inline = <T>({ default: fallback, ...schema }: Schema<T>): Optional<T> =>
  optional<T>(
    fallback === undefined ? schema : { ...schema, description: `${schema.description} Defaults to ${fallback}.` },
  )

/** The same fields of an object that may name a RolloutStrategy instead. */
export const inlineStrategyFields = {
  stages: inline(strategyFields.stages),
  progressDeadline: inline(strategyFields.progressDeadline),
  onFailure: inline(strategyFields.onFailure),
  offline: inline(strategyFields.offline),
  supersede: inline(strategyFields.supersede),
  hotfix: inline(strategyFields.hotfix),
} as const

const strategy = object('How a revision is rolled out.', strategyFields)
export type StrategySpec = TypeOf<typeof strategy>
export type StageSpec = TypeOf<typeof stage>
export type GateSpec = TypeOf<typeof gate>
/** The gates of a stage, and of each of its clusters. */
export type StageGates = Pick<StageSpec, 'before' | 'after' | 'eachCluster'>

/** Of a stage: a number as it is, a percentage of `total`, rounded up. */
export const countOf = (value: number | string, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100)

/** Validation beyond the schema. */
export const checkStages = (
  { stages = [], hotfix = {}, progressDeadline = '10m' }: Partial<StrategySpec>,
  path: string,
): FieldError[] => [
  ...stages.flatMap((stage, index) => [
    ...checkCount(stage.maxConcurrency ?? 1, 1, `${path}.stages[${index}].maxConcurrency`),
    ...checkCount(stage.maxFailures ?? 0, 0, `${path}.stages[${index}].maxFailures`),
    ...checkGates(stage, `${path}.stages[${index}]`),
  ]),
  ...checkGates(hotfix, `${path}.hotfix`),
  ...(durationMs(progressDeadline) > 0
    ? []
    : [invalid(`${path}.progressDeadline`, progressDeadline, 'must be more than 0s')]),
]

const checkCount = (value: number | string, min: number, field: string): FieldError[] => {
  const percentage = typeof value === 'string' ? /^(\d{1,3})%$/.exec(value)?.[1] : undefined
  const isValid =
    typeof value === 'number' ? value >= min : Number(percentage ?? 101) <= 100 && Number(percentage) >= min
  return isValid ? [] : [invalid(field, value, `must be a number from ${min}, or a percentage from ${min}% to 100%`)]
}

const checkGates = (gates: StageGates, path: string): FieldError[] =>
  placedGates(gates, path).flatMap(({ gate: { windows = [], query, approval }, takesPlans, field }) => [
    ...(approval?.of === 'Plans' && !takesPlans
      ? [forbidden(`${field}.approval.of`, 'plans are approved before a stage, those of all its clusters together')]
      : []),
    ...checkWindows(windows, `${field}.windows`),
    ...(query && !isAddress(query.url)
      ? [forbidden(`${field}.query.url`, 'must be the URL of a host, without credentials')]
      : []),
    ...(query && durationMs(query.interval ?? '1m') <= 0
      ? [invalid(`${field}.query.interval`, query.interval, 'must be more than 0s')]
      : []),
  ])

/** Approvals of plans that gates need, of the one that needs most; undefined if none does. */
export const plansToApprove = (gates: readonly GateSpec[] = []): number | undefined => {
  const counts = gates.flatMap(({ approval }) => (approval?.of === 'Plans' ? (approval.minApprovals ?? 1) : []))
  return counts.length > 0 ? Math.max(...counts) : undefined
}

/** Credentials in a URL would be seen by all who may read the Rollout, and fetch refuses them. */
const isAddress = (url: string): boolean => {
  const { hostname = '', username, password } = URL.parse(url) ?? {}
  return hostname !== '' && !username && !password
}

/** A CEL expression of a gate: the field that it is in, and its variables. */
export interface GateExpression {
  readonly field: string
  readonly text: string
  readonly variables: readonly string[]
}

/** The expressions of all gates. */
export const gateExpressions = (
  { stages = [], hotfix = {} }: Partial<StrategySpec>,
  path: string,
): readonly GateExpression[] =>
  [
    ...stages.flatMap((stage, at) => placedGates(stage, `${path}.stages[${at}]`)),
    ...placedGates(hotfix, `${path}.hotfix`),
  ].flatMap(({ field, gate: { expression, query } }) => [
    ...(expression === undefined
      ? []
      : [{ field: `${field}.expression`, text: expression, variables: ['units', 'clusters'] }]),
    ...(query
      ? [{ field: `${field}.query.expression`, text: query.expression, variables: ['status', 'body', 'value'] }]
      : []),
  ])

const placedGates = ({ before, after, eachCluster = {} }: StageGates, path: string) =>
  (
    [
      ['before', before, true],
      ['after', after, false],
      ['eachCluster.before', eachCluster.before, false],
      ['eachCluster.after', eachCluster.after, false],
    ] as const
  ).flatMap(([step, gates = [], takesPlans]) =>
    gates.map((gate, at) => ({ gate, takesPlans, field: `${path}.${step}[${at}]` })),
  )

export const gateTypes = ['wait', 'healthyFor', 'expression', 'query', 'windows', 'approval'] as const
export type GateType = (typeof gateTypes)[number]

/** Which of `gateTypes` a gate is. Validation requires exactly one. */
export const gateTypeOf = (gate: GateSpec): GateType => gateTypes.find(type => gate[type] !== undefined)!
/** The name of a gate for people. */
export const gateNameOf = (gate: GateSpec): string => gate.name ?? gateTypeOf(gate)
