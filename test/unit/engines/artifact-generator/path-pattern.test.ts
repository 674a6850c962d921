/** The rules of source-watcher's artifactgenerator_pathpattern.go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemOfSpec } from '../../../../lib/engines/artifact-generator/check-spec.ts'
import { artifactRequests, InvalidPathPattern } from '../../../../lib/engines/artifact-generator/path-pattern.ts'

const sourcesOf = (...paths: string[]) =>
  new Map([['repo', new Map(paths.map(path => [path, { content: Buffer.from(path), executable: false }]))]])

const template = {
  name: '{app}-{env}',
  copy: [{ from: '@repo/apps/{app}/envs/{env}/**', to: '@artifact/{env}/', exclude: ['{app}'] }],
}
const spec = { pathPattern: '@repo/apps/{app}/envs/{env}', artifacts: [template] }

test('AG-029 AG-031 each folder that matches makes the artifacts once; names and labels are in lower case, paths are not', () => {
  const sources = sourcesOf(
    'apps/Web/envs/prod/a.yaml',
    'apps/Web/envs/dev/a.yaml',
    'apps/Web/envs/file.yaml',
    'apps/x',
  )
  assert.deepEqual(artifactRequests(spec, sources), [
    {
      name: 'web-dev',
      copy: [{ from: '@repo/apps/Web/envs/dev/**', to: '@artifact/dev/', exclude: ['{app}'] }],
      labels: { app: 'web', env: 'dev' },
    },
    {
      name: 'web-prod',
      copy: [{ from: '@repo/apps/Web/envs/prod/**', to: '@artifact/prod/', exclude: ['{app}'] }],
      labels: { app: 'web', env: 'prod' },
    },
  ])
})

test('no folder, no artifact', () => {
  assert.deepEqual(artifactRequests(spec, sourcesOf('README.md')), [])
})

test('without a pattern the artifacts are as in the spec', () => {
  const artifacts = [{ name: 'a', copy: [{ from: '@repo/{x}', to: '@artifact/' }] }]
  assert.deepEqual(artifactRequests({ artifacts }, sourcesOf()), [{ ...artifacts[0], labels: {} }])
})

test('AG-030 several captures in one part of the path', () => {
  const artifacts = [{ name: '{a}.{b}', copy: [{ from: '@repo/{a}-{b}', to: '@artifact/' }] }]
  const [request] = artifactRequests({ pathPattern: '@repo/{a}-{b}', artifacts }, sourcesOf('x-y-z/f'))
  // Go's expressions are greedy, too.
  assert.equal(request?.name, 'x-y.z')
})

const invalid = (pathPattern: string, name: string, message: string, ...paths: string[]) => {
  const artifacts = [{ name, copy: [{ from: '@repo/x', to: '@artifact/' }] }]
  assert.throws(
    () => artifactRequests({ pathPattern, artifacts }, sourcesOf(...paths)),
    (error: Error) => {
      assert.ok(error instanceof InvalidPathPattern)
      assert.equal(error.message, message)
      return true
    },
  )
}

test('AG-030 errors of patterns and templates', () => {
  invalid('repo', 'x', 'invalid pathPattern format: repo')
  invalid('@no/x', 'x', 'pathPattern "@no/x": source alias no not found in local sources')
  const start = (pattern: string) => `pathPattern "@repo/${pattern}": `
  invalid('@repo/ü{a', 'x', `${start('ü{a')}invalid capture starting at offset 2: missing closing brace`)
  invalid('@repo/a}', 'x', `${start('a}')}invalid capture ending at offset 1: missing opening brace`)
  invalid('@repo/{}', 'x', `${start('{}')}empty capture variable`)
  const name = 'must be a valid capture name matching [A-Za-z_][A-Za-z0-9_]*'
  invalid('@repo/{1}', 'x', `${start('{1}')}capture variable "1" ${name}`)
  invalid('@repo/{a}/{a}', 'x', `${start('{a}/{a}')}duplicate capture variable "a"`)
  const failed = `${start('{a}')}failed to render artifact {b} for match one: invalid template "{b}": `
  invalid('@repo/{a}', '{b}', `${failed}capture variable "b" is not defined by pathPattern`, 'one/f')
})

test('AG-032 folders whose names collide, or are no label values', () => {
  const both = 'pathPattern "@repo/{a}": directories "App" and "app" both resolve to artifact name "app"'
  invalid('@repo/{a}', '{a}', both, 'App/f', 'app/f')
  const sources = sourcesOf('-x-/f')
  const artifacts = [{ name: 'x', copy: [{ from: '@repo/x', to: '@artifact/' }] }]
  assert.throws(
    () => artifactRequests({ pathPattern: '@repo/{a}', artifacts }, sources),
    /captured value "-x-" for variable "a" is not a valid Kubernetes label value: a valid label must be/,
  )
})

test('AG-049 a pattern makes a limited number of artifacts', () => {
  const artifacts = ['a', 'b'].map(name => ({ name: `${name}-{app}`, copy: [] }))
  const make = (maxArtifacts: number) =>
    artifactRequests({ pathPattern: '@repo/{app}', artifacts }, sourcesOf('x/f', 'y/f'), maxArtifacts)
  assert.equal(make(4).length, 4)
  assert.throws(() => make(3), /^InvalidPathPattern: pathPattern "@repo\/\{app\}": it makes more than 3 artifacts: /)
})

test('AG-006 AG-011 aliases and names are unique, and a revision has an alias that exists', () => {
  const sources = [{ alias: 'repo' }]
  const copy = [{ from: '@repo/x', to: '@artifact/' }]
  const problem = (artifacts: readonly { name: string; revision?: string }[], more = sources, pathPattern?: string) =>
    problemOfSpec({
      sources: more,
      artifacts: artifacts.map(artifact => ({ ...artifact, copy })),
      ...(pathPattern !== undefined && { pathPattern }),
    })
  assert.equal(problem([{ name: 'a', revision: '@repo' }]), undefined)
  assert.equal(problem([], [...sources, ...sources]), "duplicate source alias 'repo' found")
  assert.equal(problem([{ name: 'a' }, { name: 'a' }]), "duplicate artifact name 'a' found")
  assert.equal(problem([{ name: 'a', revision: '@x' }]), "artifact a revision source alias 'x' not found")
  assert.match(
    problem([{ name: '{a}' }]) ?? '',
    /^artifact name "\{a\}" is not a valid Kubernetes object name: a lowercase/,
  )
  assert.equal(problem([{ name: '{a}' }], sources, '@repo/{a}'), undefined)
})
