/** A tenant at work on everything in the class api-load, over and over, in a thread of its own: it must not slow down who measures. */
import { parentPort, workerData } from 'node:worker_threads'
import { apiClient } from '../../attack/api-client.ts'
import { apiLoad } from '../../attack/classes/api-load.ts'
import type { AttackWorld } from '../../attack/world.ts'

export interface HostileAccess {
  readonly server: string
  readonly pid: number
  readonly ca: string
  readonly adminToken: string
  readonly malloryToken: string
}

/** What came of one attempt. */
export interface Tried {
  readonly title: string
  readonly breach?: string
}

const { server, pid, ca, adminToken, malloryToken } = workerData as HostileAccess
const admin = apiClient({ server, ca: Buffer.from(ca), token: adminToken })
let names = 0
// The attempts of this class need no more of a world than its API.
const world = {
  hub: { server, pid },
  admin,
  mallory: admin.withToken(malloryToken),
  freshName: () => `hostile-${++names}`,
} as unknown as AttackWorld

for (;;)
  for (const { title, run } of apiLoad.attempts) {
    const outcome: Tried = await run(world).then(
      () => ({ title }),
      (error: Error) => ({ title, breach: error.message }),
    )
    parentPort!.postMessage(outcome)
  }
