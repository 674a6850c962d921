/** A push branch and a refspec, of servers that take both in one push and of others. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gitRepo } from '../../bed/git-repo.ts'
import { author, manifest, openAutomationWorld } from './automation-world.ts'

const refusal = `#!/bin/sh
case "$1" in */copy) echo "nobody writes $1" >&2; exit 1 ;; esac
`

/** An automation that pushes to `auto` and `target`, the hook that refuses what ends in `copy`, and where references are. */
const pushesTo = async (target: string, config: Readonly<Record<string, string>> = {}) => {
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0') })
  for (const [name, value] of Object.entries({ 'receive.fsckObjects': 'true', ...config }))
    await repo.git('config', name, value)
  const hook = join(repo.dir, 'hooks/update')
  writeFileSync(hook, refusal, { mode: 0o755 })
  const world = await openAutomationWorld({}, repo)
  await world.chooses('1.1.0')
  const push = { branch: 'auto', refspec: `refs/heads/auto:${target}` }
  return {
    ...world,
    accept: () => rmSync(hook),
    automation: () => world.automation({ git: { commit: author, push } }),
    again: () => world.request('ImageUpdateAutomation', 'auto', 'again'),
    at: async (reference: string) => (await repo.git('for-each-ref', '--format=%(objectname)', reference)) || undefined,
    ready: async () => (await world.conditions('ImageUpdateAutomation', 'auto'))[0]!,
    /** Since the last call. */
    pushes: () => repo.server.requests.splice(0).filter(({ operation }) => operation === 'push').length,
  }
}

const copy = 'refs/heads/copy'

test('IM-072 a push branch and a refspec are one push: if the server refuses one of them, neither is updated', async () => {
  const world = await pushesTo(copy)
  await world.automation()
  assert.equal(world.pushes(), 1)
  assert.deepEqual([await world.at('refs/heads/auto'), await world.at(copy)], [undefined, undefined])
  const refused = 'failed to update source: failed to push to remote: command error on refs/heads/copy'
  const said = 'hook declined: remote: nobody writes refs/heads/copy\\nerror: hook declined to update refs/heads/copy'
  assert.equal(await world.ready(), `Ready=False GitOperationFailed: ${refused}: ${said}`)

  world.accept()
  await world.again()
  assert.equal(world.pushes(), 1)
  assert.equal(await world.ready(), 'Ready=True Succeeded: repository up-to-date')
  assert.ok(await world.at(copy))
  assert.equal(await world.at('refs/heads/auto'), await world.at(copy))
  await world.fsck()
})

test('IM-060 IM-072 a race at the target of the refspec runs again, and both are at the new commit', async () => {
  const world = await pushesTo(copy)
  world.accept()
  let isFirst = true
  world.repo.server.intercept = ({ method, url = '' }) => {
    if (isFirst && method === 'POST' && url.endsWith('/git-receive-pack')) {
      isFirst = false
      const main = readFileSync(join(world.repo.dir, 'refs/heads/main'), 'utf8')
      writeFileSync(join(world.repo.dir, copy), main) // somebody else is faster
    }
    return false
  }
  await world.automation()
  assert.equal(world.pushes(), 2)
  assert.equal(await world.ready(), 'Ready=True Succeeded: repository up-to-date')
  assert.equal(await world.repo.git('rev-list', '--count', 'main..auto'), '1')
  assert.equal(await world.at('refs/heads/auto'), await world.at(copy))
  await world.fsck()
})

for (const [why, target, config] of [
  ['the server takes no atomic pushes', copy, { 'receive.advertiseAtomic': 'false' }],
  ['the target is neither a branch nor a tag', 'refs/for/copy', {}],
] as const)
  test(`IM-072 the branch is pushed first, and then the refspec, if ${why}`, async () => {
    const world = await pushesTo(target, config)
    await world.automation()
    assert.equal(world.pushes(), 2)
    assert.ok(await world.at('refs/heads/auto'))
    assert.equal(await world.at(target), undefined)
    assert.match(await world.ready(), new RegExp(`^Ready=False GitOperationFailed: .*command error on ${target}: `))

    world.accept()
    await world.chooses('1.2.0')
    assert.equal(world.pushes(), 2)
    assert.equal(await world.at('refs/heads/auto'), await world.at(target))
    await world.fsck()
  })
