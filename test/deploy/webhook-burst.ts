import assert from 'node:assert/strict'
import { eventually } from '../bed/eventually.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { notReconciled, receivedAt, webhookBurst } from '../bed/webhook-burst.ts'
import type { Person } from './hub-access.ts'

interface Sources {
  readonly items: Parameters<typeof notReconciled>[0]
}

const patient = { within: 240_000, every: 500 }

/** As many webhooks as sources, all at once: each source is looked at exactly once. A slice of `npm run bench -- webhooks --platform aws`. */
export async function eachActedUponOnce(admin: Person, edge: string, count: number): Promise<void> {
  const git = await gitRepo({ 'README.md': 'nothing to apply' })
  const { manifests, send } = await webhookBurst(count, git)
  for (const objects of manifests) await admin.apply(objects)
  const inBurst = <T>(kind: string) => admin.get<T>(kind, '-n', 'burst')
  const sources = async () => (await inBurst<Sources>('gitrepositories')).items
  await eventually(async () => assert.ok((await sources()).every(({ status }) => status?.artifact)), patient)
  const addresses = await eventually(async () => receivedAt(edge, await inBurst('receivers')), patient)
  const before = git.operations().length

  const answers = await send(addresses, 1)
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  await eventually(async () => assert.equal(notReconciled(await sources()), 0), patient)
  assert.equal(git.operations().length - before, count)
  await admin.kubectl('delete', 'namespace', 'burst', '--wait=false')
}
