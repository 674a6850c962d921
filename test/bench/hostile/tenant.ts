/** A tenant at work on all that keeps a hub busy, over and over, in a thread of its own: it must not slow down who measures. */
import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import { apiClient } from '../../attack/api-client.ts'
import { apiLoad } from '../../attack/classes/api-load.ts'
import { expensiveWork } from '../../attack/classes/builds.ts'
import type { AttackWorld } from '../../attack/world.ts'
import { startGitRepo } from '../../bed/git-repo.ts'

export interface HostileAccess {
  readonly server: string
  readonly pid: number
  readonly ca: string
  readonly adminToken: string
  readonly malloryToken: string
  /** Attempts whose titles have this in them; all by default. */
  readonly only: string
}

/** What came of one attempt. */
export interface Tried {
  readonly title: string
  /** When it began, in milliseconds since 1970. */
  readonly begun: number
  readonly breach?: string
}

const { server, pid, ca, adminToken, malloryToken, only } = workerData as HostileAccess
const admin = apiClient({ server, ca: Buffer.from(ca), token: adminToken })
const malloryRepo = await startGitRepo({ 'own.yaml': '' })
let names = 0
// The attempts of these classes need no more of a world.
const world = {
  hub: { server, pid },
  admin,
  mallory: admin.withToken(malloryToken),
  malloryRepo,
  freshName: () => `hostile-${++names}`,
  async requireHealthy() {
    for (const probe of ['/readyz', '/livez']) assert.equal((await admin.request('GET', probe)).status, 200, probe)
  },
} as unknown as AttackWorld

const attackWith = async ({ attempts }: typeof apiLoad): Promise<void> => {
  const chosen = attempts.filter(({ title }) => title.includes(only))
  while (chosen.length > 0)
    for (const { title, run } of chosen) {
      const begun = Date.now()
      const outcome: Tried = await run(world).then(
        () => ({ title, begun }),
        (error: Error) => ({ title, begun, breach: error.message }),
      )
      parentPort!.postMessage(outcome)
    }
}

await Promise.all([apiLoad, expensiveWork].map(attackWith))
