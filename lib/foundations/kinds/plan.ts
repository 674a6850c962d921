/** Plan: what applying a unit's build would change on its cluster. Made by the hub, read-only. Keelson's own kind. */
import { ageColumn } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup } from './references.ts'
import { changedField, shortRevision } from './run.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, integer, list, object, oneOf, optional, text } from './schema/schema.ts'

const time = (description: string) => text(description, { format: 'date-time' })

/** `unknown`: the cluster can only judge the object once another one is applied. */
export const plannedActions = ['created', 'configured', 'recreated', 'deleted', 'unknown'] as const

/**
 * Waiting: for approvals. Approved: it is applied next. Rejected: it is not applied. Applied: the unit was applied as planned. Stale: what
 * it was made of has changed, and another plan has replaced it. Expired: nobody has decided in time.
 */
export const planPhases = ['Waiting', 'Approved', 'Rejected', 'Applied', 'Stale', 'Expired'] as const
export type PlanPhase = (typeof planPhases)[number]

const counts = object('Numbers of objects by change.', {
  created: optional(integer('Number of objects that would be created.')),
  configured: optional(integer('Number of objects that would be changed.')),
  recreated: optional(integer('Number of objects that would be deleted and created again.')),
  deleted: optional(integer('Number of objects that would be deleted.')),
  unknown: optional(integer('Number of objects that can only be judged once others are applied.')),
  unchanged: optional(integer('Number of objects that would stay as they are.')),
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
  author: optional(text('Who has pushed the revision, as far as the hub knows.')),
  manifests: optional(text('Digest of the build.')),
  digest: text('Digest of the change: of the build and of the fields that it would change. An Approval names it.'),
  counts,
  approvals: optional(
    object('What the change needs.', {
      count: integer('Number of users who must approve.'),
      authorMayApprove: flag('Whether the author counts.'),
      reason: text('Which objects require it.'),
    }),
  ),
  expiresAt: optional(time('When the plan ends.')),
})

const status = object('What has become of the plan.', {
  phase: oneOf('Phase of the plan.', planPhases),
  message: optional(text('Details of the phase.')),
  approvedBy: optional(list('Users who have approved.', text('Name of a user.'))),
  rejectedBy: optional(text('User who has rejected.')),
  finishedAt: optional(time('When it was applied, rejected or replaced.')),
})

const change = object('A change of one object.', {
  apiVersion: text('API version of the object.'),
  kind: text('Kind of the object.'),
  namespace: optional(text('Namespace of the object.')),
  name: text('Name of the object.'),
  action: oneOf('What would be done.', plannedActions),
  origin: optional(text('File that the object comes from.')),
  waitsFor: optional(text('Object that is applied first.')),
  fields: optional(
    list(
      'Changed fields.',
      object('A changed field.', { ...changedField, from: optional(text('File of the new value, with its line.')) }),
    ),
  ),
  moreFields: optional(integer('Number of changed fields that are not listed.')),
})

const schema = object('What applying a unit would change.', {
  spec,
  status: optional(status),
  changes: optional(list('Changes, in order. Only if the plan is read by its name.', change)),
  errors: optional(list('What the cluster refuses.', text('An error.'))),
})

export type Plan = KubernetesObject & TypeOf<typeof schema>
export type PlanSpec = Plan['spec']
export type PlanCounts = PlanSpec['counts']
export type PlanChange = NonNullable<Plan['changes']>[number]

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
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema,
      selectable: ['.spec.unit.kind', '.spec.unit.name', '.status.phase'],
      columns: [
        ageColumn,
        { name: 'Unit', type: 'string', cell: ({ spec }) => `${spec.unit.kind}/${spec.unit.name}` },
        { name: 'Revision', type: 'string', cell: ({ spec }) => shortRevision(spec.revision) },
        { name: 'Changes', type: 'string', cell: ({ spec }) => plannedCounts(spec.counts) },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'Author', type: 'string', jsonPath: '.spec.author', priority: 1 },
        { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt', priority: 1 },
        { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
      ],
    },
  ],
}
