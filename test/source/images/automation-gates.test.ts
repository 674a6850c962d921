import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../../lib/compose/settings/settings.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { author, manifest, openAutomationWorld } from './automation-world.ts'
import { minute } from './image-world.ts'

const openWorld = async (settings: Partial<Settings>) => {
  const repo = await gitRepo()
  await repo.push({ 'app.yaml': manifest('1.0.0') })
  const world = await openAutomationWorld({}, repo, settings)
  return {
    ...world,
    id: (name: string) => repo.git('rev-parse', name),
    ready: async () => (await world.conditions('ImageUpdateAutomation', 'auto'))[0],
    pushes: () => repo.operations().filter(operation => operation === 'push').length,
  }
}
const upToDate = 'Ready=True Succeeded: repository up-to-date'
const refused = (branch: string) =>
  `Ready=False GitOperationFailed: failed to update source: failed to push to remote: non-fast-forward update: refs/heads/${branch}`

test('IM-045 IM-063 GitAllBranchReferences=false: each run starts at what is checked out and replaces the branch, once', async () => {
  const world = await openWorld({ gitAllBranches: false })
  await world.chooses('1.1.0')
  await world.automation({ git: { commit: author, push: { branch: 'auto' } } })
  const first = await world.id('auto')
  assert.equal((await world.statusOf()).lastPushCommit, first)
  await world.advance(11 * minute)
  assert.equal(await world.id('auto'), first, 'the same commit is not made again')
  assert.equal(world.pushes(), 1)

  await world.chooses('1.2.0')
  assert.match(await world.show('auto:app.yaml'), /1\.2\.0/)
  assert.equal(await world.repo.git('rev-list', '--count', 'main..auto'), '1')

  await world.repo.push({ 'new.yaml': manifest('1.0.0') })
  await world.advance(11 * minute)
  assert.equal(await world.id('auto^'), await world.id('main'), 'the branch follows its base')
  assert.match(await world.show('auto:new.yaml'), /1\.2\.0/)

  await world.repo.push({ 'mine.txt': 'mine' }, { branch: 'auto' })
  await world.advance(11 * minute)
  assert.equal(
    await world.repo.git('ls-tree', '--name-only', 'auto'),
    'app.yaml\nnew.yaml',
    'what others pushed is gone',
  )
  assert.equal(await world.ready(), upToDate)
  await world.fsck()
})

test('IM-063 GitForcePushBranch=false: a branch that would lose commits is refused', async () => {
  const world = await openWorld({ gitAllBranches: false, gitForcePush: false })
  await world.chooses('1.1.0')
  await world.automation({ git: { commit: author, push: { branch: 'auto' } } })
  const first = await world.id('auto')
  await world.chooses('1.2.0')
  assert.equal(await world.id('auto'), first)
  assert.equal(await world.ready(), refused('auto'))

  await world.repo.git('branch', '-D', 'auto')
  await world.advance(11 * minute)
  assert.match(await world.show('auto:app.yaml'), /1\.2\.0/)
  assert.equal(await world.ready(), upToDate)
})

test('IM-045 IM-063 GitForcePushBranch=false: a known branch is continued, and a refspec needs its own plus', async () => {
  const world = await openWorld({ gitForcePush: false })
  await world.repo.push({ 'other.txt': 'other' }, { branch: 'other' })
  const other = await world.id('other')
  await world.chooses('1.1.0')
  const push = { branch: 'auto', refspec: 'refs/heads/auto:refs/heads/other' }
  await world.automation({ git: { commit: author, push } })
  const first = await world.id('auto')
  assert.equal(await world.id('other'), other)
  assert.equal(await world.ready(), refused('other'))

  await world.automation({ git: { commit: author, push: { ...push, refspec: `+${push.refspec}` } } })
  await world.chooses('1.2.0')
  assert.equal(await world.id('auto^'), first)
  assert.equal(await world.id('other'), await world.id('auto'))
  assert.equal(await world.ready(), upToDate)
})

for (const [atomic, how] of [
  ['true', 'together'],
  ['false', 'one after the other'],
] as const)
  test(`IM-063 GitShallowClone=false: a target at an older commit moves, one with commits of its own does not, pushed ${how}`, async () => {
    const world = await openWorld({ gitShallowClone: false })
    await world.repo.git('config', 'receive.advertiseAtomic', atomic)
    await world.repo.git('branch', 'older', 'main^')
    await world.chooses('1.1.0')
    await world.automation({ git: { commit: author, push: { refspec: 'refs/heads/main:refs/heads/older' } } })
    assert.equal(await world.id('older'), await world.id('main'))
    assert.equal(await world.ready(), upToDate)

    await world.repo.push({ 'other.txt': 'other' }, { branch: 'older' })
    await world.chooses('1.2.0')
    assert.match(await world.show('main:app.yaml'), /1\.2\.0/)
    assert.match(await world.show('older:app.yaml'), /1\.1\.0/)
    assert.equal(await world.ready(), refused('older'))
    await world.fsck()
  })

test('IM-045: a push branch over a tag holds one commit over it, as there are no branches in the clone of a tag', async () => {
  const world = await openWorld({})
  await world.repo.git('tag', 'v1', 'main')
  await world.chooses('1.1.0')
  const git = { checkout: { ref: { tag: 'v1' } }, commit: author, push: { branch: 'auto' } }
  await world.automation({ git })
  await world.chooses('1.2.0')
  assert.equal(await world.id('auto^'), await world.id('v1'))
  assert.match(await world.show('auto:app.yaml'), /1\.2\.0/)
})
