import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Explanation } from './explanation.ts'

/** Those of a room, or of the folder or file of it that is meant. */
export const explanationsOf = async (target: string): Promise<readonly Explanation[]> => {
  const [room] = target.split('/')
  const path = join(import.meta.dirname, 'explained', `${room}.ts`)
  if (!existsSync(path)) return []
  const { explained } = (await import(path)) as { explained: readonly Explanation[] }
  return explained.filter(({ file }) => file === target || file.startsWith(`${target}/`))
}
