/** GitRepository: a git repository whose files become an artifact. */

import { artifact } from './artifact.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, object, oneOf, optional, text, withDescription } from './schema/schema.ts'
import { operationTimeout, sourceKindFields } from './source-fields.ts'

const include = object('Files of another GitRepository to include in this one.', {
  repository: localReference('The GitRepository to include.'),
  fromPath: optional(text('Folder to include. Defaults to its root.')),
  toPath: optional(text('Target folder. Defaults to the name of the repository.')),
})

export const reference = object('The reference to check out. Defaults to the branch `master`.', {
  branch: optional(text('Branch to follow.')),
  tag: optional(text('Tag to check out; takes precedence over the branch.')),
  semver: optional(text('Range of versions, of which the highest tag is checked out. Takes precedence over the tag.')),
  name: optional(
    text('Full name of a reference, such as `refs/pull/420/head`; takes precedence over branch, tag and semver.'),
  ),
  commit: optional(
    text(
      'Commit to check out. Takes precedence over all other fields. If a branch is set, the commit must be on that branch.',
    ),
  ),
})

const verification = object('Settings for the verification of signed commits and tags.', {
  mode: optional(
    oneOf('Objects that must be signed. `head` is an older name of `HEAD`.', ['head', 'HEAD', 'Tag', 'TagAndHEAD'], {
      default: 'HEAD',
    }),
  ),
  secretRef: localReference('Secret with the trusted public keys: PGP under *.asc, SSH under *.sshpub.'),
})

const spec = object(
  'Settings of the source.',
  {
    url: text('Address of the repository, over HTTP/S or SSH.', { pattern: '^(http|https|ssh)://.*$' }),
    interval: duration('Interval at which to check for a new revision.'),
    timeout: optional(operationTimeout('Timeout of git operations.', { default: '60s' })),
    ref: optional(reference),
    secretRef: optional(
      localReference(
        'Secret with the credentials: username and password, or bearerToken, for HTTPS; identity and known_hosts for SSH.',
      ),
    ),
    provider: optional(oneOf('Provider of credentials. Defaults to `generic`.', ['generic', 'aws', 'azure', 'github'])),
    serviceAccountName: optional(text('ServiceAccount to authenticate with; for the providers aws and azure.')),
    proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
    verify: optional(verification),
    ignore: optional(text('Patterns of files to exclude, in the format of .gitignore. Replaces the default patterns.')),
    include: optional(list('Other GitRepositories whose files to include.', include)),
    recurseSubmodules: optional(flag('Include submodules.')),
    sparseCheckout: optional(list('Folders to check out. Defaults to all.', text('Path of a folder.'))),
    suspend: optional(flag('Suspend reconciliation.')),
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
  'The result of the last fetch.',
  {
    ...reconciledStatus,
    artifact: optional(withDescription('The latest artifact.', artifact)),
    includedArtifacts: optional(list('Artifacts included in this one.', artifact)),
    observedIgnore: optional(text('spec.ignore of the current artifact.')),
    observedInclude: optional(list('spec.include of the current artifact.', include)),
    observedRecurseSubmodules: optional(flag('spec.recurseSubmodules of the current artifact.')),
    observedSparseCheckout: optional(list('spec.sparseCheckout of the current artifact.', text('Path of a folder.'))),
    sourceVerificationMode: optional(text('spec.verify.mode with which the artifact was verified.')),
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
