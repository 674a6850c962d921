/** Stories of ArtifactGenerators, which are played to source-watcher (test/recorders/artifact-generators.ts) and to a hub. */
import { archive, sourceIgnores } from '../../../lib/sources/artifact/archive.ts'

export interface StoryFile {
  readonly content: string | Uint8Array
  readonly executable?: true
}

export type StoryFiles = Readonly<Record<string, string | StoryFile>>

export interface Step {
  /** Sources that get these files. */
  readonly push?: readonly Push[]
  /** Generators to create or change. */
  readonly apply?: readonly Applied[]
  /** Generators that are asked for a pass. */
  readonly request?: readonly string[]
  /** Objects to delete. */
  readonly remove?: readonly (readonly [kind: 'ArtifactGenerator' | 'ExternalArtifact', name: string])[]
}

export interface Push {
  readonly name: string
  readonly kind: string
  readonly revision: string
  /** None: the source has no artifact yet. */
  readonly files?: StoryFiles
  readonly metadata?: Readonly<Record<string, string>>
  /** The status names another digest than that of the files. */
  readonly isForged?: true
}

export interface Applied {
  readonly name: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec: object
}

/** Where the artifacts of sources are served: a checksum in the status is made of it. */
export const sourceAddress = 'http://127.0.0.1:39170'
/** In texts: the namespace of the story. */
export const namespace = 'namespace-of-the-story'

export const treeOf = (files: StoryFiles) =>
  new Map(
    Object.entries(files).map(([path, file]) => {
      const { content, executable = false } = typeof file === 'string' ? { content: file } : file
      return [path, { content: Buffer.from(content as string), executable }] as const
    }),
  )

const git = (files: StoryFiles, revision = 'main@sha1:1', more: Partial<Push> = {}): Push => ({
  ...{ name: 'app', kind: 'GitRepository', revision, files },
  ...more,
})
const repo = { alias: 'repo', kind: 'GitRepository', name: 'app' }
const copy = (from: string, to = '@artifact/', more: object = {}) => ({ from, to, ...more })
const output = (name: string, ...operations: readonly object[]) => ({ name, copy: operations })
const generator = (name: string, artifacts: readonly object[], more: object = {}): Applied => ({
  name,
  spec: { sources: [repo], artifacts, ...more },
})
const reconcile = 'source.extensions.fluxcd.io/reconcile'
const switched = (annotations: Readonly<Record<string, string>>): Applied => ({
  ...generator('off', [folder('web')]),
  annotations,
})
const folder = (name: string) => output(name, copy(`@repo/apps/${name}/**`))
const monorepo = { 'apps/web/a.yaml': 'a: 1\n', 'apps/api/b.yaml': 'b: 1\n', 'README.md': 'text\n' }
const { content: chart } = await archive(
  treeOf({ 'chart/Chart.yaml': 'name: chart\n', 'chart/templates/a.yaml': 'a: 1\n' }),
  sourceIgnores(new Map()),
)

export const stories: Readonly<Record<string, readonly Step[]>> = {
  'two outputs, a push to one of them, and an output that goes': [
    { push: [git(monorepo)], apply: [generator('apps', [folder('web'), folder('api')])] },
    { push: [git({ ...monorepo, 'apps/web/a.yaml': 'a: 2\n' }, 'main@sha1:2')] },
    { apply: [generator('apps', [folder('web')])] },
  ],
  'files, folders and patterns': [
    {
      push: [
        git({
          'a.yaml': 'a: 1\n',
          'dir/b.yaml': 'b: 1\n',
          'dir/c.txt': 'c\n',
          'dir/sub/d.yaml': 'd: 1\n',
          'dir/sub/run.sh': { content: '#!/bin/sh\n', executable: true },
        }),
      ],
      apply: [
        generator('copies', [
          output('file', copy('@repo/a.yaml', '@artifact/renamed.yaml'), copy('@repo/a.yaml', '@artifact/in/')),
          output('folder', copy('@repo/dir', '@artifact/to'), copy('@repo/a.yaml', '@artifact/to')),
          output('below', copy('@repo/dir/**', '@artifact/')),
          output('level', copy('@repo/dir/*.yaml', '@artifact/flat/')),
          output('everything', copy('@repo/**', '@artifact/')),
          output('excluded', copy('@repo/dir/**', '@artifact/', { exclude: ['*.txt', 'sub/*.sh'] })),
          output('deep', copy('@repo/dir/**', '@artifact/x/', { exclude: ['**/sub/**'] })),
        ]),
      ],
    },
  ],
  'overwrite and merge': [
    {
      push: [
        git({
          'chart/values.yaml': 'a: 1\nmap:\n  kept: 1\n  changed: 1\nlist: [1, 2]\n',
          'env/values.yaml': 'map:\n  changed: 2\n  new: [x]\nlist: [3]\n',
          'env/other.yaml': 'only: here\n',
        }),
      ],
      apply: [
        generator('strategies', [
          output('overwritten', copy('@repo/chart/**'), copy('@repo/env/values.yaml', '@artifact/values.yaml')),
          output(
            'merged',
            copy('@repo/chart/**'),
            copy('@repo/env/values.yaml', '@artifact/values.yaml', { strategy: 'Merge' }),
            copy('@repo/env/other.yaml', '@artifact/other.yaml', { strategy: 'Merge' }),
          ),
        ]),
      ],
    },
  ],
  'archives that are unpacked': [
    {
      push: [git({ 'charts/chart.tgz': { content: chart }, 'charts/note.txt': 'text\n' })],
      apply: [
        generator('archives', [
          output('one', copy('@repo/charts/chart.tgz', '@artifact/', { strategy: 'Extract' })),
          output('all', copy('@repo/**/*.tgz', '@artifact/in/', { strategy: 'Extract' })),
        ]),
        generator('no-archive', [output('none', copy('@repo/charts/note.txt', '@artifact/', { strategy: 'Extract' }))]),
      ],
    },
  ],
  'a path pattern, and directories that come and go': [
    {
      push: [
        git({ 'apps/Web/envs/prod/a.yaml': 'a: 1\n', 'apps/api/envs/dev/b.yaml': 'b: 1\n', 'apps/x.yaml': 'x\n' }),
      ],
      apply: [
        generator('pattern', [output('{app}-{env}', copy('@repo/apps/{app}/envs/{env}/**', '@artifact/{app}/'))], {
          pathPattern: '@repo/apps/{app}/envs/{env}',
        }),
      ],
    },
    {
      push: [git({ 'apps/Web/envs/prod/a.yaml': 'a: 1\n', 'apps/Web/envs/dev/c.yaml': 'c: 1\n' }, 'main@sha1:2')],
    },
  ],
  'path patterns that stall': [
    {
      push: [git({ 'apps/Web/a.yaml': 'a: 1\n', 'apps/web/a.yaml': 'a: 1\n', 'bad/-x/a.yaml': 'a: 1\n' })],
      apply: [
        generator('collision', [output('{app}', copy('@repo/apps/{app}/**'))], { pathPattern: '@repo/apps/{app}' }),
        generator('label', [output('l{app}', copy('@repo/bad/{app}/**'))], { pathPattern: '@repo/bad/{app}' }),
        generator('twice', [output('t{a}', copy('@repo/apps/{a}/**'))], { pathPattern: '@repo/{a}/{a}' }),
        generator('unknown', [output('u{b}', copy('@repo/apps/{a}/**'))], { pathPattern: '@repo/apps/{a}' }),
        generator('open', [output('o{a}', copy('@repo/apps/{a}/**'))], { pathPattern: '@repo/apps/{a' }),
      ],
    },
  ],
  'a path pattern without a match': [
    {
      push: [git(monorepo)],
      apply: [generator('none', [output('{a}', copy('@repo/none/{a}/**'))], { pathPattern: '@repo/none/{a}' })],
    },
  ],
  'a source that is missing, and comes': [
    { apply: [generator('early', [folder('web')])] },
    { push: [git(monorepo, 'main@sha1:1', { files: undefined as never })] },
    { push: [git(monorepo)] },
  ],
  'a file that is missing, and comes': [
    { push: [git(monorepo)], apply: [generator('files', [folder('web'), output('none', copy('@repo/none.yaml'))])] },
    { push: [git({ ...monorepo, 'none.yaml': 'n: 1\n' }, 'main@sha1:2')] },
  ],
  'copies that fail': [
    {
      push: [git({ ...monorepo, 'list.yaml': '- 1\n', 'bad.yaml': 'a: [\n' })],
      apply: [
        generator('alias', [output('a', copy('@other/a.yaml'))]),
        generator('glob', [output('b', copy('@repo/none/*.yaml'))]),
        generator('excluded', [output('c', copy('@repo/apps/*', '@artifact/', { exclude: ['**'] }))]),
        generator('outside', [output('d', copy('@repo/../a.yaml'))]),
        generator('out', [output('e', copy('@repo/README.md', '@artifact/../a.md'))]),
        generator('archive', [output('f', copy('@repo/apps/web', '@artifact/', { strategy: 'Extract' }))]),
        generator('merge', [
          output(
            'g',
            copy('@repo/bad.yaml', '@artifact/x.yaml'),
            copy('@repo/README.md', '@artifact/x.yaml', { strategy: 'Merge' }),
          ),
        ]),
        generator('set', [output('h', copy('@repo/[a'))]),
        generator('exclude', [output('i', copy('@repo/README.md', '@artifact/', { exclude: ['[a'] }))]),
      ],
    },
  ],
  'suspended by its annotation, and resumed': [
    { push: [git(monorepo)], apply: [switched({ [reconcile]: 'Disabled' })] },
    // source-watcher notices another annotation with the next request only.
    { apply: [switched({ [reconcile]: 'Enabled', 'reconcile.fluxcd.io/requestedAt': '1' })] },
    {
      apply: [switched({ [reconcile]: 'disabled', 'reconcile.fluxcd.io/requestedAt': '2' })],
      push: [git({ ...monorepo, 'apps/web/a.yaml': 'a: 2\n' }, 'main@sha1:2')],
    },
  ],
  'specs that stall, and one that is mended': [
    {
      push: [git(monorepo)],
      apply: [
        { name: 'alias', spec: { sources: [repo, { ...repo, name: 'other' }], artifacts: [folder('web')] } },
        generator('name', [folder('web'), folder('web')]),
        generator('revision', [{ ...folder('web'), revision: '@other' }]),
        generator('origin', [{ ...folder('api'), originRevision: '@other' }]),
      ],
    },
    { apply: [generator('name', [output('named', copy('@repo/README.md'))])] },
  ],
  'an artifact with another name': [
    { push: [git(monorepo)], apply: [generator('apps', [folder('web')])] },
    { apply: [generator('apps', [{ ...folder('web'), name: 'site' }])] },
  ],
  'a generator that is deleted': [
    { push: [git(monorepo)], apply: [generator('apps', [folder('web'), folder('api')])] },
    { remove: [['ArtifactGenerator', 'apps']] },
  ],
  'revisions, origins, and sources of each kind': [
    {
      push: [
        git(monorepo, 'main@sha1:7'),
        {
          ...{ name: 'oci', kind: 'OCIRepository', revision: 'v1@sha256:1', files: { 'o.yaml': 'o: 1\n' } },
          metadata: { 'org.opencontainers.image.revision': 'main@sha1:origin' },
        },
        { name: 'bucket', kind: 'Bucket', revision: 'sha256:2', files: { 'b.yaml': 'b: 1\n' } },
        { name: 'chart', kind: 'HelmChart', revision: '1.0.0', files: { 'podinfo/Chart.yaml': 'name: podinfo\n' } },
        { name: 'given', kind: 'ExternalArtifact', revision: 'latest@sha256:3', files: { 'e.yaml': 'e: 1\n' } },
      ],
      apply: [
        {
          name: 'all',
          spec: {
            sources: [
              repo,
              { alias: 'oci', kind: 'OCIRepository', name: 'oci' },
              { alias: 'bucket', kind: 'Bucket', name: 'bucket' },
              { alias: 'chart', kind: 'HelmChart', name: 'chart' },
              { alias: 'given', kind: 'ExternalArtifact', name: 'given' },
            ],
            artifacts: [
              {
                ...output(
                  'composed',
                  copy('@repo/apps/web/a.yaml'),
                  ...['@oci/o.yaml', '@bucket/b.yaml', '@chart/podinfo', '@given/e.yaml'].map(from => copy(from)),
                ),
                ...{ revision: '@repo', originRevision: '@oci' },
              },
              { ...folder('api'), originRevision: '@repo' },
            ],
          },
        },
      ],
    },
  ],
  'common metadata that changes': [
    {
      push: [git(monorepo)],
      apply: [
        generator('apps', [folder('web')], {
          commonMetadata: {
            labels: { team: 'shop', 'app.kubernetes.io/managed-by': 'me' },
            annotations: { note: 'yes' },
          },
        }),
      ],
    },
    { apply: [generator('apps', [folder('web')], { commonMetadata: { labels: { tier: 'front' } } })] },
  ],
  'a request when nothing has changed': [
    { push: [git(monorepo)], apply: [generator('apps', [folder('web')])] },
    { request: ['apps'] },
  ],
  'an ExternalArtifact that was deleted': [
    { push: [git(monorepo)], apply: [generator('apps', [folder('web')])] },
    { remove: [['ExternalArtifact', 'web']], request: ['apps'] },
  ],
  'a source whose files are not those of its digest': [
    {
      push: [git(monorepo, 'main@sha1:1', { kind: 'ExternalArtifact', isForged: true })],
      apply: [generator('apps', [folder('web')], { sources: [{ ...repo, kind: 'ExternalArtifact' }] })],
    },
  ],
  'files that sources exclude by default': [
    {
      push: [
        git({
          ...monorepo,
          '.sourceignore': '*.yaml\n',
          '.github/workflow.yaml': 'w: 1\n',
          'picture.png': 'p\n',
          'apps/web/archive.tar.gz': 'x\n',
          'apps/web/.hidden': 'h\n',
        }),
      ],
      apply: [generator('apps', [output('all', copy('@repo/**'))])],
    },
  ],
}

export interface Seen {
  /** By kind and name. */
  readonly objects: Readonly<Record<string, object>>
  readonly events: readonly string[]
}
