/** ImageUpdateAutomation: writes the latest images into the files of a git repository. */

import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import { labelSelector } from './flux-operator.ts'
import { reference } from './git-repository.ts'
import { imageKindFields, imageRef } from './image-fields.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { imageGroup, sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, map, object, oneOf, optional, text } from './schema/schema.ts'

/** Pushes become pull requests: the forge of the repository, by the names of Providers (`github`, `gitlab`...). */
export const pullRequestAnnotation = 'image.keelson.dev/pull-request'
/** A Secret of the automation's namespace for the API of the forge; without it, the repository's is used. */
export const pullRequestSecretAnnotation = 'image.keelson.dev/pull-request-secret'

const commit = object('How commits look.', {
  author: object('Author and committer.', {
    name: optional(text('Name of the author.')),
    email: text('Address of the author.'),
  }),
  signingKey: optional(
    object('The key that commits are signed with.', {
      secretRef: localReference('Secret with git.asc and passphrase (gpg), or identity and password (ssh).'),
      type: optional(oneOf('Kind of the key; `gpg` when empty.', ['gpg', 'ssh'])),
    }),
  ),
  messageTemplate: optional(text("The message, as a template in Go's text/template.")),
  messageTemplateValues: optional(map('Further values for the template, as `.Values`.', text('A value.'))),
})

const push = object('Where commits go.', {
  branch: optional(text('Branch to push to; the one that is checked out when empty.')),
  refspec: optional(text('A refspec that is pushed as well: `refs/heads/main:refs/heads/auto`.')),
  options: optional(map('Push options for the server.', text('Value of an option.'))),
})

const git = object('What is checked out, committed and pushed.', {
  checkout: optional(object('What is checked out instead of spec.ref of the source.', { ref: reference })),
  commit,
  push: optional(push),
})

const spec = object('Which repository is updated, and how.', {
  sourceRef: object('The GitRepository whose address and credentials are used.', {
    apiVersion: optional(text('API version of the source.')),
    kind: oneOf('Kind of the source.', ['GitRepository'], { default: 'GitRepository' }),
    name: text('Name of the source.'),
    namespace: optional(text('Namespace of the source. Defaults to the namespace of this object.')),
  }),
  git: optional(git),
  interval: duration('Time between two runs.'),
  policySelector: optional(labelSelector('Which ImagePolicies of the namespace are applied; all when empty.')),
  update: optional(
    object(
      'How files are updated.',
      {
        strategy: optional(oneOf('How images are found: by markers in comments.', ['Setters'], { default: 'Setters' })),
        path: optional(text('Folder or file to update; the root when empty.')),
      },
      { default: { strategy: 'Setters' } },
    ),
  ),
  suspend: optional(flag('Suspend reconciliation.')),
})

const status = object(
  'What the last run did.',
  {
    ...reconciledStatus,
    lastAutomationRunTime: optional(text('When it last ran.', { format: 'date-time' })),
    lastPushCommit: optional(text('The commit that it last pushed.')),
    lastPushTime: optional(text('When it last pushed.', { format: 'date-time' })),
    observedPolicies: optional(map('The images of the last run, by policy.', imageRef)),
    observedSourceRevision: optional(text('The revision that the last run found or made.')),
  },
  initialStatus,
)

const schema = object('Writes the latest images into a git repository.', { spec, status: optional(status) })

export type ImageUpdateAutomation = KubernetesObject & TypeOf<typeof schema>
export type AutomationGit = TypeOf<typeof git>

const namedSecret = (name: string | undefined) => (name ? { name } : undefined)

export const imageUpdateAutomation: Kind<ImageUpdateAutomation> = {
  ...imageKindFields,
  kind: 'ImageUpdateAutomation',
  plural: 'imageupdateautomations',
  singular: 'imageupdateautomation',
  shortNames: ['iua', 'imgupd', 'imgauto'],
  references: ({ metadata, spec }, find) => [
    find.secret(namedSecret(metadata?.annotations?.[pullRequestSecretAnnotation])),
    find.object(spec?.sourceRef, { group: sourceGroup, kind: 'GitRepository' }),
    find.secret(spec?.git?.commit?.signingKey?.secretRef),
    find.any(imageGroup, 'ImagePolicy'),
  ],
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [
        ...readyColumns,
        { name: 'Last run', type: 'string', jsonPath: '.status.lastAutomationRunTime', priority: 1 },
        ageColumn,
      ],
    },
  ],
}

/** Milliseconds between two runs. */
export const intervalOf = ({ spec }: ImageUpdateAutomation): number => durationMs(spec.interval)
