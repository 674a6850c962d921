/** Plan: what applying a unit's build would change on its cluster. Made by the hub, read-only. Keelson's own kind. */
import { ageColumn } from './flux.ts'
import type { Kind } from './kind.ts'
import { groupOf, type KubernetesObject, type ObjectRef } from './object.ts'
import { fleetGroup } from './references.ts'
import { changedField } from './run.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, integer, list, object, oneOf, optional, text } from './schema/schema.ts'

const time = (description: string) => text(description, { format: 'date-time' })

/** On a Plan: the UID of its unit. */
export const unitUidLabel = `${fleetGroup}/unit-uid`

/** `unknown`: the cluster can only judge the object after what it waits for. */
export const plannedActions = ['created', 'configured', 'recreated', 'deleted', 'unknown'] as const

/**
 * Waiting: for approvals. Scheduled: for a window, and nobody has to approve it. Approved: it is applied next. Rejected: it is not applied. Applied: the unit was applied as planned. Stale: what
 * it was made of has changed, and another plan has replaced it. Expired: nobody has decided in time.
 */
export const planPhases = ['Waiting', 'Scheduled', 'Approved', 'Rejected', 'Applied', 'Stale', 'Expired'] as const
export type PlanPhase = (typeof planPhases)[number]

const counts = object('Numbers of objects by change.', {
  created: optional(integer('Objects that would be created.')),
  configured: optional(integer('Objects that would be changed.')),
  recreated: optional(integer('Objects that would be deleted and created again.')),
  deleted: optional(integer('Objects that would be deleted.')),
  unknown: optional(integer('Objects that can only be judged once others are applied.')),
  unchanged: optional(integer('Objects that would stay as they are.')),
})

const spec = object('The change, and what is needed to make it.', {
  unit: object('The unit.', {
    apiVersion: text('API version of the unit.'),
    kind: text('Kind of the unit.'),
    name: text('Name of the unit.'),
  }),
  cluster: optional(
    object('Access to the cluster. Absent for the hub itself.', {
      kind: text('Secret or ConfigMap.'),
      namespace: text('Namespace of the object.'),
      name: text('Name of the object.'),
    }),
  ),
  revision: optional(text('Revision of the source.')),
  rolloutRun: optional(text('RolloutRun whose revision it is, if that needs approval of the plan: `NAMESPACE/NAME`.')),
  author: optional(text('Who has pushed the revision, as far as the hub knows.')),
  manifests: optional(text('Digest of the build.')),
  digest: text('Digest of the build and of the fields that it would change. An Approval names it.'),
  counts,
  summary: optional(text('The counts in short: `+1 ~2 -1`.')),
  approvals: optional(
    object('What the change needs. Absent if nobody has to approve it.', {
      count: integer('Number of users who must approve.'),
      authorMayApprove: flag('Whether the author counts.'),
      reason: text('Which objects require it.'),
      signedFor: optional(
        text('Cluster whose runner counts only approvals that its own keys have signed, as `NAMESPACE/NAME`.'),
      ),
    }),
  ),
  expiresAt: optional(time('When the plan ends. Absent if nobody has to approve it.')),
})

const status = object('What has become of the plan.', {
  phase: oneOf('Phase of the plan.', planPhases),
  message: optional(text('Details of the phase.')),
  approvedBy: optional(list('Users who have approved.', text('Name of a user.'))),
  stageApprovedBy: optional(list('Users who have approved its stage of a RolloutRun.', text('Name of a user.'))),
  rejectedBy: optional(text('User who has rejected.')),
  finishedAt: optional(time('When it was applied or replaced.')),
})

const change = object('A change of one object.', {
  apiVersion: text('API version of the object.'),
  kind: text('Kind of the object.'),
  namespace: optional(text('Namespace of the object.')),
  name: text('Name of the object.'),
  action: oneOf('What would be done.', plannedActions),
  origin: optional(text('File that the object comes from; of a hook also the events at which it runs.')),
  waitsFor: optional(text('What comes first: an object that is applied, or the deletion of one.')),
  fields: optional(
    list(
      'Changed fields.',
      object('A changed field.', { ...changedField, from: optional(text('File and line of the new value.')) }),
    ),
  ),
  moreFields: optional(integer('Number of changed fields that are not listed.')),
})

const schema = object('What applying a unit would change.', {
  spec,
  status: optional(status),
  changes: optional(list('Changes, in order.', change)),
  moreChanges: optional(integer('Number of changes that are not listed.')),
})

export type Plan = KubernetesObject & TypeOf<typeof schema>
/** By whom a plan was approved. */
export interface PlanApproval {
  readonly name: string
  readonly digest: string
  readonly approvedBy: readonly string[]
}

/**
 * Who approved a plan: its own approvers, then those of the stage of its Rollout, each user once. Empty while nobody
 * has.
 */
export const planApprovalOf = ({ metadata, spec, status }: Plan): PlanApproval => ({
  name: metadata.name,
  digest: spec.digest,
  approvedBy: [...new Set([...(status?.approvedBy ?? []), ...(status?.stageApprovedBy ?? [])])],
})

export type PlanSpec = Plan['spec']

/** What applying a unit would change, found when a user wanted to know: no object of the hub. */
export type PreviewedPlan = Pick<Plan, 'spec' | 'changes' | 'moreChanges'> & {
  /** What the cluster refuses. */
  readonly errors?: readonly string[]
  /** Why policies deny it. */
  readonly denied?: string
}

/** What a plan begins with. */
export const firstPhaseOf = ({ approvals }: Pick<PlanSpec, 'approvals'>): PlanPhase =>
  approvals ? 'Waiting' : 'Scheduled'

export type PlanCounts = PlanSpec['counts']
export type PlanChange = NonNullable<Plan['changes']>[number]

/** The Kustomization, HelmRelease or ResourceSet that a plan is about, which is in the plan's namespace. */
export const unitRefOf = ({ metadata, spec: { unit } }: Plan): ObjectRef => ({
  group: groupOf(unit.apiVersion),
  kind: unit.kind,
  namespace: metadata.namespace ?? '',
  name: unit.name,
})

/** `+1 ~2 -1 ?1`: objects that would be created, changed and deleted, and those not known yet. */
export const plannedCounts = ({
  created = 0,
  configured = 0,
  recreated = 0,
  deleted = 0,
  unknown = 0,
}: PlanCounts): string =>
  [
    ['+', created + recreated] as const,
    ['~', configured] as const,
    ['-', deleted + recreated] as const,
    ['?', unknown] as const,
  ]
    .flatMap(([sign, count]) => (count > 0 ? `${sign}${count}` : []))
    .join(' ')

export const plan: Kind<Plan> = {
  group: fleetGroup,
  kind: 'Plan',
  plural: 'plans',
  singular: 'plan',
  shortNames: [],
  categories: ['keelson'],
  namespaced: true,
  hasGeneration: false,
  readOnly: true,
  // They contain parts of manifests and of live objects.
  sealedFields: ['changes'],
  // The plans of one unit are listed by each of its passes that waits.
  openLabels: [unitUidLabel],
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema,
      selectable: ['.spec.unit.kind', '.spec.unit.name', '.status.phase'],
      columns: [
        ageColumn,
        { name: 'Kind', type: 'string', jsonPath: '.spec.unit.kind' },
        { name: 'Unit', type: 'string', jsonPath: '.spec.unit.name' },
        { name: 'Changes', type: 'string', jsonPath: '.spec.summary' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'Revision', type: 'string', jsonPath: '.spec.revision', priority: 1 },
        { name: 'Author', type: 'string', jsonPath: '.spec.author', priority: 1 },
        { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt', priority: 1 },
        { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
      ],
    },
  ],
}
