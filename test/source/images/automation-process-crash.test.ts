import assert from 'node:assert/strict'
import { test } from 'node:test'
import { git } from '../../bed/git.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { Life } from '../../bed/life.ts'
import { automationProcess, type Forge } from './automation-process.ts'
import { manifest } from './automation-world.ts'

const auth = { username: 'bot', password: 'secret' }

/** A process that dies at its k-th step, and another one that goes on; false if it has fewer steps. */
const dieAndGoOn = async (steps: number, when: 'before' | 'after', proposes: boolean): Promise<boolean> => {
  const repo = await gitRepo({ 'app.yaml': manifest('1.0.0'), 'b/app.yaml': manifest('1.0.0') })
  await repo.git('config', 'receive.fsckObjects', 'true')
  const url = new URL(repo.url)
  Object.assign(url, auth) // the forge wants a token
  const forge: Forge = { open: [], created: 0 }
  const bed = { repo: { ...repo, url: url.href }, forge }
  const branch = proposes ? 'auto' : 'main'
  const life = new Life()
  const first = await automationProcess(bed, life)
  await first.begin('1.1.0', proposes)
  life.arm(steps, when)
  await first.live(5)
  const at = `${when} step ${steps}, ${life.lastStep}${proposes ? ', with a pull request' : ''}`
  await first.close({ keeps: true })

  const commits = async () =>
    (await repo.git('log', '--all', '--format=%s', '--grep=Update from')).split('\n').filter(Boolean).length
  assert.ok((await commits()) <= 1, `${at}: at most one commit when it dies`)
  await git(['fsck', '--strict', '--full', '--no-dangling'], { cwd: repo.dir })
  for (const ref of (await repo.git('for-each-ref', '--format=%(refname)')).split('\n'))
    assert.match(ref, /^refs\/heads\/(main|auto)$/)

  const next = await automationProcess(bed, new Life(), first)
  await next.live(30)
  assert.equal(await commits(), 1, `${at}: one commit in the end`)
  assert.equal(await repo.git('rev-list', '--count', branch), '2', at)
  for (const file of ['app.yaml', 'b/app.yaml'])
    assert.equal(`${await repo.git('show', `${branch}:${file}`)}\n`, manifest('1.1.0'), at)
  assert.equal(forge.created, proposes ? 1 : 0, `${at}: pull requests that were made`)
  const { conditions, lastPushCommit } = (await next.automation())!.status!
  assert.deepEqual(
    conditions!.map(({ type, status }) => `${type}=${status}`),
    ['Ready=True'],
    at,
  )
  // The source that follows the branch is asked for, whenever it was that the first process died.
  const requestedBy = (await next.source())!.metadata.annotations?.['keelson.dev/requested-by']
  assert.equal(requestedBy, proposes ? undefined : 'ImageUpdateAutomation default/auto', at)
  // A push into the branch that is checked out leaves nothing to do for the next process, which does not know of it.
  if (proposes) assert.equal(lastPushCommit, await repo.git('rev-parse', branch), at)
  await git(['fsck', '--strict', '--full', '--no-dangling'], { cwd: repo.dir })
  await next.close()
  return life.died
}

for (const proposes of [false, true])
  for (const when of ['before', 'after'] as const)
    test(`IM-065 IM-069 killed ${when} each of its steps${proposes ? ', with a pull request' : ''}, an automation pushes once, all of it, and sources are asked for it`, async t => {
      let steps = 1
      while (await dieAndGoOn(steps, when, proposes)) steps++
      t.diagnostic(`${steps - 1} steps`)
      assert.ok(steps > 5, `only ${steps} steps: it has not run`)
    })
