/** PullRequest: an open pull request of a repository, whose head is planned. Made by the hub for a Receiver. Keelson's own kind. */
import { ageColumn, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup, sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { integer, list, object, oneOf, optional, text } from './schema/schema.ts'

/** On a Receiver: the Provider in its namespace that comments on pull requests. Their heads are planned if it is set. */
export const planPullRequestsAnnotation = 'fleet.keelson.dev/plan-pull-requests'
/** On a Receiver: the forks whose pull requests are planned: owners, or `owner/repository`, separated by commas; `*` for all. */
export const planForksAnnotation = 'fleet.keelson.dev/plan-forks'
/** On a GitRepository that the hub has made for a PullRequest: the UID of that. */
export const pullRequestLabel = 'fleet.keelson.dev/pull-request-uid'

const time = (description: string) => text(description, { format: 'date-time' })

const spec = object('A pull request, as its forge has described it last.', {
  receiver: text('Name of the Receiver that it was reported to.'),
  provider: text('Name of the Provider that comments on it.'),
  number: text('Number in its repository.', { pattern: '^[0-9]{1,18}$' }),
  ref: text('Reference of its head in git, as in `refs/pull/12/head`.'),
  commit: text('Commit of its head; Bitbucket Cloud sends only the beginning.'),
  base: text('Branch that it is to be merged into.'),
  author: optional(text('User name of its author.')),
  fork: optional(text('Repository of the head, if that is another one.')),
  state: oneOf('Closed: what the hub keeps of it is deleted.', ['Open', 'Closed']),
  sources: list(
    'The GitRepositories of this namespace that follow the base.',
    object('A GitRepository of this namespace.', {
      name: text('Name of the GitRepository.'),
      head: localReference('The GitRepository that fetches the head as this one fetches the base. The hub makes it.'),
    }),
    { maxItems: 32 },
  ),
})

const plan = object('What would change for a unit.', {
  kind: text('Kind of the unit.'),
  namespace: text('Namespace of the unit.'),
  name: text('Name of the unit.'),
  cluster: optional(text('How its cluster is reached, as in `Secret/apps/prod`. Absent for the hub itself.')),
  summary: optional(text('What would change: `+1 ~2 -1`.')),
  message: optional(text('Why there is no plan, or what the cluster refuses.')),
})

const awaited = object('Orders of runners to plan the head, which not all have carried out yet.', {
  planned: text('Revisions, as in `planned`.'),
  since: time('When the first of them was placed.'),
  releases: optional(
    list(
      'The HelmReleases among their units.',
      object('A HelmRelease.', {
        namespace: text('Namespace of the HelmRelease.'),
        name: text('Name of the HelmRelease.'),
      }),
    ),
  ),
})

const status = object(
  'The plans of the head.',
  {
    ...reconciledStatus,
    head: optional(text('Commit that was planned.')),
    planned: optional(text('Revisions that were planned: that of the head, and those that it is compared with.')),
    units: optional(integer('Number of units that the pull request reaches.')),
    summary: optional(text('What would change on all clusters: `+1 ~2 -1`.')),
    failed: optional(integer('Number of units that could not be planned, or that a cluster refuses.')),
    plans: optional(list('The units, at most 100.', plan)),
    comment: optional(text('Id of the comment.')),
    awaited: optional(awaited),
    plannedAt: optional(time('When the head was planned.')),
  },
  initialStatus,
)

const schema = object('An open pull request whose head is planned.', { spec, status: optional(status) })

export type PullRequest = KubernetesObject & TypeOf<typeof schema>
export type Awaited = TypeOf<typeof awaited>
export type UnitPlan = TypeOf<typeof plan>
export type BaseSource = PullRequest['spec']['sources'][number]

export const pullRequest: Kind<PullRequest> = {
  group: fleetGroup,
  kind: 'PullRequest',
  plural: 'pullrequests',
  singular: 'pullrequest',
  shortNames: [],
  categories: ['keelson'],
  namespaced: true,
  hasGeneration: true,
  readOnly: true,
  references: ({ spec }, find) => [
    ...(spec?.sources ?? []).map(source => find.object(source, { group: sourceGroup, kind: 'GitRepository' })),
    ...(spec?.sources ?? []).map(({ head }) => find.object(head, { group: sourceGroup, kind: 'GitRepository' })),
  ],
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      status: true,
      schema,
      columns: [
        ageColumn,
        { name: 'Number', type: 'string', jsonPath: '.spec.number' },
        { name: 'Head', type: 'string', jsonPath: '.status.head' },
        { name: 'Units', type: 'integer', jsonPath: '.status.units' },
        { name: 'Changes', type: 'string', jsonPath: '.status.summary' },
        ...readyColumns,
        { name: 'Author', type: 'string', jsonPath: '.spec.author', priority: 1 },
      ],
    },
  ],
}
