/** GitRepository: a git repository whose files become an artifact. */

import { artifact } from './artifact.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, object, oneOf, optional, text, withDescription } from './schema/schema.ts'
import { operationTimeout, sourceKindFields } from './source-fields.ts'

const include = object('Files of another GitRepository, put into this one.', {
  repository: localReference('The GitRepository to include.'),
  fromPath: optional(text('Folder to take from it; its root when empty.')),
  toPath: optional(text('Folder to put it in; the name of the repository when empty.')),
})

const reference = object('What to check out; the branch `master` when empty.', {
  branch: optional(text('Branch to follow.')),
  tag: optional(text('Tag to check out; takes precedence over the branch.')),
  semver: optional(text('Range of versions whose highest tag is checked out; takes precedence over the tag.')),
  name: optional(
    text('Full name of a reference, such as `refs/pull/420/head`; takes precedence over branch, tag and semver.'),
  ),
  commit: optional(text('Commit to check out; takes precedence over all others. With a branch, it must be on it.')),
})

const verification = object('How signatures of commits and tags are verified.', {
  mode: optional(
    oneOf('What must be signed. `head` is an older name of `HEAD`.', ['head', 'HEAD', 'Tag', 'TagAndHEAD'], {
      default: 'HEAD',
    }),
  ),
  secretRef: localReference('Secret with the trusted public keys: PGP under *.asc, SSH under *.sshpub.'),
})

const spec = object(
  'What to fetch, and how.',
  {
    url: text('Address of the repository, over HTTP/S or SSH.', { pattern: '^(http|https|ssh)://.*$' }),
    interval: duration('How often to check for a new revision.'),
    timeout: optional(operationTimeout('How long one git operation may take.', { default: '60s' })),
    ref: optional(reference),
    secretRef: optional(
      localReference(
        'Secret with the credentials: username and password, or bearerToken, for HTTPS; identity and known_hosts for SSH.',
      ),
    ),
    provider: optional(
      oneOf('Where credentials come from; `generic` when empty.', ['generic', 'aws', 'azure', 'github']),
    ),
    serviceAccountName: optional(text('ServiceAccount to authenticate with; for the providers aws and azure.')),
    proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
    verify: optional(verification),
    ignore: optional(text('Patterns of files to leave out, in the format of .gitignore; replaces the default ones.')),
    include: optional(list('Other repositories whose files are added.', include)),
    recurseSubmodules: optional(flag('Fetch submodules too.')),
    sparseCheckout: optional(list('Folders to check out; all when empty.', text('Path of a folder.'))),
    suspend: optional(flag('Stop reconciling.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: "serviceAccountName can only be set when provider is 'azure' or 'aws'",
        rule: "!has(self.serviceAccountName) || (has(self.provider) && (self.provider == 'azure' || self.provider == 'aws'))",
      },
    ],
  },
)

const status = object(
  'What was last fetched.',
  {
    ...reconciledStatus,
    artifact: optional(withDescription('The artifact that was last made.', artifact)),
    includedArtifacts: optional(list('Artifacts that were included in it.', artifact)),
    observedIgnore: optional(text('spec.ignore that the artifact was made with.')),
    observedInclude: optional(list('spec.include that the artifact was made with.', include)),
    observedRecurseSubmodules: optional(flag('spec.recurseSubmodules that the artifact was made with.')),
    observedSparseCheckout: optional(
      list('spec.sparseCheckout that the artifact was made with.', text('Path of a folder.')),
    ),
    sourceVerificationMode: optional(text('spec.verify.mode that the artifact was verified with.')),
  },
  initialStatus,
)

const schema = object('A git repository whose files become an artifact.', { spec, status: optional(status) })

export type GitRepository = KubernetesObject & TypeOf<typeof schema>
export type GitReference = TypeOf<typeof reference>
export type GitInclude = TypeOf<typeof include>

export const gitRepository: Kind<GitRepository> = {
  ...sourceKindFields,
  kind: 'GitRepository',
  plural: 'gitrepositories',
  singular: 'gitrepository',
  shortNames: ['gitrepo'],
  references: ({ spec }, find) => [
    find.secret(spec?.secretRef),
    find.secret(spec?.proxySecretRef),
    find.serviceAccount(spec?.serviceAccountName),
    find.secret(spec?.verify?.secretRef),
    ...(spec?.include ?? []).map(({ repository }) =>
      find.object(repository, { group: sourceGroup, kind: 'GitRepository' }),
    ),
  ],
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [{ name: 'URL', type: 'string', jsonPath: '.spec.url' }, ageColumn, ...readyColumns],
    },
  ],
}

/** Path under which an included artifact is placed. */
export const includePath = (entry: GitInclude): string => entry.toPath || entry.repository.name
