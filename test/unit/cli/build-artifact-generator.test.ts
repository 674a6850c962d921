import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { after, test } from 'node:test'
import { CommandFailed } from '../../../lib/cli/command-failed.ts'
import { buildArtifactGeneratorCommand } from '../../../lib/cli/commands/build-artifact-generator.ts'
import { ignoring } from '../../../lib/engines/ignore/source-ignore.ts'
import { archive } from '../../../lib/sources/artifact/archive.ts'

const folder = mkdtempSync(join(tmpdir(), 'keelson-build-'))
after(() => rmSync(folder, { recursive: true }))

const write = (path: string, content: string | Uint8Array, mode = 0o644): string => {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode })
  return file
}

const generator = (name: string, spec: object): string =>
  write(
    name,
    JSON.stringify({
      apiVersion: 'source.extensions.fluxcd.io/v1beta1',
      kind: 'ArtifactGenerator',
      metadata: { name: 'apps' },
      spec,
    }),
  )

const build = async (...args: string[]): Promise<string> => {
  let text = ''
  const output = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  await buildArtifactGeneratorCommand(output).exitOverride().parseAsync(args, { from: 'user' })
  return text
}

const repository = (alias: string) => ({ alias, kind: 'GitRepository', name: alias })
const listed = (text: string) =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split(/ +/).slice(0, 2))

for (const [path, mode] of [
  ['apps/a/x.yaml'],
  ['apps/a/run.sh', 0o755],
  ['apps/b/x.yaml'],
  ['apps/b/logo.png'],
] as const)
  write(`repo/${path}`, path, mode)
write('repo/.git/HEAD', 'ref')

test('AG-046 build artifactgenerator makes one artifact for each folder, and writes its files', async () => {
  const file = generator('split.json', {
    sources: [repository('repo')],
    pathPattern: '@repo/apps/{app}',
    artifacts: [{ name: '{app}', copy: [{ from: '@repo/apps/{app}/**', to: '@artifact/' }] }],
  })
  const out = join(folder, 'out')
  const text = await build('-f', file, '--source', `repo=${join(folder, 'repo')}`, '-d', out)
  assert.match(text, /^NAME +FILES +DIGEST\na +2 +sha256:[0-9a-f]{64}\nb +1 +sha256:[0-9a-f]{64}\n$/)
  assert.deepEqual(readdirSync(out, { recursive: true }).sort(), ['a', 'a/run.sh', 'a/x.yaml', 'b', 'b/x.yaml'])
  assert.equal(readFileSync(join(out, 'b/x.yaml'), 'utf8'), 'apps/b/x.yaml')
  assert.equal(statSync(join(out, 'a/run.sh')).mode & 0o111, 0o111)
})

test('build artifactgenerator puts a repository and a chart together', async () => {
  const chart = { content: Buffer.from('name: c\n'), executable: false }
  const { content } = await archive(new Map([['c/Chart.yaml', chart]]), ignoring([]))
  const archived = write('c-1.0.0.tgz', content)
  const file = generator('both.json', {
    sources: [repository('repo'), { alias: 'chart', kind: 'HelmChart', name: 'c' }],
    artifacts: [
      {
        name: 'app',
        copy: [
          { from: '@chart/c', to: '@artifact/charts/' },
          { from: '@repo/apps/**', to: '@artifact/', exclude: ['*.sh'] },
        ],
      },
    ],
  })
  const sources = ['--source', `repo=${join(folder, 'repo')}`, '--source', `chart=${archived}`]
  // Of the five files `logo.png` is one that no artifact has by default.
  assert.deepEqual(listed(await build('-f', file, ...sources)), [['app', '3']])
  await assert.rejects(build('-f', file, ...sources.slice(2)), /both.json: pass the files of source repo with --source/)
  await assert.rejects(build('-f', file, ...sources, '--source', 'x=.'), /both.json: spec.sources has no alias x/)
})

test('build artifactgenerator reports what would be the message of Ready', async () => {
  const build1 = (spec: object) => build('-f', generator('bad.json', spec), '--source', `repo=${join(folder, 'repo')}`)
  const artifacts = [{ name: 'a', copy: [{ from: '@repo/none', to: '@artifact/' }] }]
  const failed =
    "a build failed: failed to apply copy operations: failed to apply copy operation from '@repo/none' to '@artifact/'"
  await assert.rejects(build1({ sources: [repository('repo')], artifacts }), (error: Error) => {
    assert.ok(error instanceof CommandFailed)
    assert.ok(error.message.endsWith(`bad.json: ${failed}: source 'none' does not exist`), error.message)
    return true
  })
  const twice = { sources: [repository('repo'), repository('repo')], artifacts }
  await assert.rejects(build1(twice), /bad.json: duplicate source alias 'repo' found/)
  const pathPattern = { sources: [repository('repo')], artifacts, pathPattern: '@repo/{' }
  await assert.rejects(build1(pathPattern), /failed to expand path pattern: pathPattern "@repo\/\{": invalid capture/)
  await assert.rejects(build1({ sources: [], artifacts }), /spec.sources/)
})
