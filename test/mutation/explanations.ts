import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Explanation } from './explanation.ts'

const folder = join(import.meta.dirname, 'explained')

/** Those of a room, or of the folder or file of it that is meant: in `ROOM.ts`, and in `ROOM-PART.ts` of a large room. */
export const explanationsOf = async (target: string): Promise<readonly Explanation[]> => {
  const [room] = target.split('/')
  const files = readdirSync(folder).filter(file => {
    const name = basename(file, '.ts')
    return name === room || name.startsWith(`${room}-`)
  })
  const all: Explanation[] = []
  for (const file of files)
    all.push(...((await import(join(folder, file))) as { explained: readonly Explanation[] }).explained)
  return all.filter(({ file }) => file === target || file.startsWith(`${target}/`))
}
