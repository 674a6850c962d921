import { describeRef } from '../foundations/kinds/object.ts'
import type { Hub } from '../hub/store/hub.ts'
import { UnsealFailed } from '../platform/ports/keys.ts'
import type { Log } from '../platform/ports/log.ts'
import type { ObjectStore } from '../platform/ports/objects.ts'

interface KeyPorts {
  readonly objects: Pick<ObjectStore, 'list'>
  readonly hub: Pick<Hub, 'get'>
  readonly log: Log
}

const pageSize = 500

/**
 * Whether the store was encrypted with this master key: false if it decrypts none of the Secrets. A single Secret that it can't decrypt is
 * damaged, or was encrypted with a key that was removed since: the log names it.
 */
export const decryptsSecrets = async ({ objects, hub, log }: KeyPorts): Promise<boolean> => {
  const undecryptable: string[] = []
  let decrypted = 0
  let next: string | undefined
  do {
    const page = await objects.list({ group: '', kind: 'Secret', limit: pageSize, ...(next && { continue: next }) })
    for (const { ref } of page.items) {
      try {
        await hub.get(ref)
        decrypted++
      } catch (error) {
        if (!(error instanceof UnsealFailed)) throw error
        undecryptable.push(describeRef(ref))
      }
    }
    next = page.continue
  } while (next)
  if (decrypted === 0) return undecryptable.length === 0
  for (const secret of undecryptable)
    log.error("a Secret can't be decrypted with the master key: restore its key in master.key, or create it again", {
      secret,
    })
  return true
}
