/** Approval: the decision of a user about a plan, or about a list of deletions. Keelson's own kind. */
import { envelope } from './envelope.ts'
import { ageColumn } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject, ObjectRef } from './object.ts'
import { fleetGroup, helmGroup, kustomizeGroup, type Unchecked } from './references.ts'
import { forbidden } from './schema/field-error.ts'
import { isSameJson } from './schema/same-json.ts'
import type { TypeOf } from './schema/schema.ts'
import { object, oneOf, optional, text } from './schema/schema.ts'

/** On a unit, a Namespace for the units in it, or a Cluster for all units that it restrains. */
export const approvalAnnotation = 'fleet.keelson.dev/approval'
/** How many users must approve; 1 by default. */
export const minApprovalsAnnotation = 'fleet.keelson.dev/min-approvals'
/** `true`: who has pushed a revision may approve it. */
export const authorMayApproveAnnotation = 'fleet.keelson.dev/author-may-approve'
/** How long a plan can be approved, and an approval counts, as a duration; three days by default. */
export const planExpiryAnnotation = 'fleet.keelson.dev/plan-expiry'

/** All annotations that say what a unit needs. */
export const approvalAnnotations: readonly string[] = [
  approvalAnnotation,
  minApprovalsAnnotation,
  authorMayApproveAnnotation,
  planExpiryAnnotation,
]

/** The kinds of objects that are approved, with their resources. */
const subjects = {
  Plan: { group: fleetGroup, plural: 'plans' },
  RolloutRun: { group: fleetGroup, plural: 'rolloutruns' },
  Kustomization: { group: kustomizeGroup, plural: 'kustomizations' },
  HelmRelease: { group: helmGroup, plural: 'helmreleases' },
  ResourceSet: { group: 'fluxcd.controlplane.io', plural: 'resourcesets' },
} as const
export type SubjectKind = keyof typeof subjects

const subject = object('What is decided about.', {
  kind: oneOf('Kind of the subject.', Object.keys(subjects) as SubjectKind[]),
  name: text('Name of the subject.', { minLength: 1, maxLength: 253 }),
  stage: optional(text('Stage of a RolloutRun.', { minLength: 1, maxLength: 253 })),
  cluster: optional(text('Cluster of the stage, as `NAMESPACE/NAME`.', { minLength: 1, maxLength: 512 })),
})

const spec = object('The decision.', {
  subject,
  digest: text('Digest of the change or list that is decided about.', { pattern: '^sha256:[0-9a-f]{64}$' }),
  decision: oneOf('Whether it may be done.', ['Approved', 'Rejected'], { default: 'Approved' }),
  comment: optional(text('Reason of the decision.', { maxLength: 4096 })),
  expiresAt: optional(text('From then on the decision no longer counts.', { format: 'date-time' })),
  approver: optional(text('User who has decided. Written by the API server.')),
  signature: optional(envelope('Statement about the plan, signed by the approver for a runner that demands it.')),
})

const schema = object('The decision of a user about a change that needs approval.', { spec })

export type Approval = KubernetesObject & TypeOf<typeof schema>
export type ApprovalSubject = Approval['spec']['subject']

/** The resource whose verb `approve` a decision needs; undefined for what can't be approved, which validation refuses. */
export const subjectResource = ({
  spec,
}: Unchecked<Approval>): { readonly group: string; readonly plural: string } | undefined =>
  Object.entries(subjects).find(([kind]) => kind === spec?.subject?.kind)?.[1]

/** The object that is reconciled after a decision: that of the subject. A plan's unit is in the plan. */
export const subjectRef = ({ metadata, spec: { subject } }: Approval): ObjectRef => ({
  group: subjects[subject.kind].group,
  kind: subject.kind,
  namespace: metadata.namespace ?? '',
  name: subject.name,
})

export const isApproval = ({ apiVersion, kind }: KubernetesObject): boolean =>
  kind === 'Approval' && apiVersion.startsWith(`${fleetGroup}/`)

export const approval: Kind<Approval> = {
  group: fleetGroup,
  kind: 'Approval',
  plural: 'approvals',
  singular: 'approval',
  shortNames: [],
  categories: ['keelson'],
  namespaced: true,
  hasGeneration: true,
  check: ({ spec }, old) =>
    old && !isSameJson(spec, old.spec)
      ? [forbidden('spec', 'a decision can not be changed: delete it, and decide again')]
      : [],
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema,
      selectable: ['.spec.subject.kind', '.spec.subject.name', '.spec.approver'],
      columns: [
        ageColumn,
        { name: 'Kind', type: 'string', jsonPath: '.spec.subject.kind' },
        { name: 'Subject', type: 'string', jsonPath: '.spec.subject.name' },
        { name: 'Decision', type: 'string', jsonPath: '.spec.decision' },
        { name: 'By', type: 'string', jsonPath: '.spec.approver' },
        { name: 'Comment', type: 'string', jsonPath: '.spec.comment' },
        { name: 'Digest', type: 'string', jsonPath: '.spec.digest', priority: 1 },
        { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt', priority: 1 },
      ],
    },
  ],
}
