import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after, test } from 'node:test'
import { CommandFailed } from '../../../lib/cli/command-failed.ts'
import { buildResourceSetCommand } from '../../../lib/cli/commands/build-resource-set.ts'

const folder = mkdtempSync(join(tmpdir(), 'keelson-build-'))
after(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const resourceSet = (name: string, spec: object) =>
  file(name, { apiVersion: 'fluxcd.controlplane.io/v1', kind: 'ResourceSet', metadata: { name: 'app' }, spec })

const build = async (...args: string[]): Promise<string> => {
  let text = ''
  const output = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  await buildResourceSetCommand(output).exitOverride().parseAsync(args, { from: 'user' })
  return text
}

const template = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } })
const printed = (...names: string[]) =>
  names.map(name => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n---\n`).join('')

test('build resourceset prints what the inputs in the file make', async () => {
  const path = resourceSet('inline.json', {
    inputs: [{ n: 'a' }, { n: 'b' }],
    resources: [template('cm-<< inputs.n >>')],
  })
  assert.equal(await build('-f', path), printed('cm-a', 'cm-b'))
})

test('build resourceset takes what providers would find from files', async () => {
  const path = resourceSet('from.json', {
    inputsFrom: [{ name: 'p' }],
    resources: [template('cm-<< inputs.branch | slugify >>')],
  })
  await assert.rejects(
    build('-f', path),
    /from.json: spec.inputsFrom needs the inputs of providers: pass them with --inputs/,
  )
  const inputs = file('inputs.yaml', '- branch: feat/one\n  id: "1"\n- branch: two\n')
  assert.equal(await build('-f', path, '--inputs-from', inputs), printed('cm-feat-one', 'cm-two'))
  const provider = {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSetInputProvider',
    metadata: { name: 'p' },
  }
  const fixed = file('provider.json', { ...provider, spec: { type: 'Static', defaultValues: { branch: 'main' } } })
  assert.equal(await build('-f', path, '--inputs-from-provider', fixed), printed('cm-main'))
  const asking = file('asking.json', { ...provider, spec: { type: 'GitHubTag', url: 'https://github.com/a/b' } })
  await assert.rejects(
    build('-f', path, '--inputs-from-provider', asking),
    /p has the type GitHubTag: only providers of type Static/,
  )
})

test('build resourceset takes the providers of a file that the ResourceSet names or selects', async () => {
  const provider = (name: string, labels = {}) =>
    JSON.stringify({
      apiVersion: 'fluxcd.controlplane.io/v1',
      kind: 'ResourceSetInputProvider',
      metadata: { name, labels },
      spec: { type: 'Static', defaultValues: { of: name } },
    })
  const providers = file('several.yaml', [provider('a'), provider('b', { env: 'dev' }), provider('c')].join('\n---\n'))
  const set = (name: string, inputsFrom: readonly object[]) =>
    resourceSet(name, { inputsFrom, resources: [template('cm-<< inputs.of >>')] })
  const selecting = set('selecting.json', [{ name: 'c' }, { selector: { matchLabels: { env: 'dev' } } }])
  assert.equal(await build('-f', selecting, '--inputs-from-provider', providers), printed('cm-b', 'cm-c'))
  const missing = set('missing-provider.json', [{ name: 'z' }])
  await assert.rejects(
    build('-f', missing, '--inputs-from-provider', providers),
    /missing-provider.json: build failed: failed to get provider default\/z: .* "z" not found/,
  )
  const without = resourceSet('without.json', { inputs: [{ of: 'x' }], resources: [template('cm-<< inputs.of >>')] })
  await assert.rejects(
    build('-f', without, '--inputs-from-provider', providers),
    /without.json: spec.inputsFrom is not set, so the given providers have no effect/,
  )
})

test('build resourceset names the steps', async () => {
  const steps = ['one', 'two'].map(name => ({ name, resources: [template(name)] }))
  const path = resourceSet('steps.json', { steps })
  assert.equal(await build('-f', path), `# step: one\n${printed('one')}# step: two\n${printed('two')}`)
})

test('build resourceset reports what is wrong, with the file', async () => {
  const fails = (path: string, message: RegExp) =>
    assert.rejects(build('-f', path), error => error instanceof CommandFailed && message.test(error.message))
  await fails(
    resourceSet('empty.json', {}),
    /empty.json: .*at least one of steps, resources or resourcesTemplate must be set/,
  )
  await fails(resourceSet('odd.json', { resourcesTemplate: 'x', odd: 1 }), /odd.json: unknown field "spec.odd"/)
  await fails(
    resourceSet('missing.json', { inputs: [{}], resources: [template('<< inputs.n >>')] }),
    /missing.json: build failed: failed to build resources\[0\]: .*map has no entry for key "n"/,
  )
  await fails(
    file('none.yaml', 'kind: ConfigMap\napiVersion: v1\n'),
    /none.yaml: it must contain one ResourceSet, found 0/,
  )
  await fails(join(folder, 'gone.yaml'), /gone.yaml: no such file/)
  const inputs = file('no-list.yaml', 'kind: ResourceSetInputProvider\n')
  const path = resourceSet('fine.json', { resources: [template('cm')] })
  await assert.rejects(build('-f', path, '--inputs-from', inputs), /no-list.yaml: it must contain a list of input sets/)
})
