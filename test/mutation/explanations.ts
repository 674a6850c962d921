import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Explanation } from './explanation.ts'

const folder = join(import.meta.dirname, 'explained')

/** Those of a room: in `kustomize.ts`, or `kustomize-PART.ts` where a room has many. */
export const explanationsOf = async (room: string): Promise<readonly Explanation[]> => {
  const files = readdirSync(folder).filter(name => name === `${room}.ts` || name.startsWith(`${room}-`))
  const all = await Promise.all(files.sort().map(name => import(join(folder, name))))
  return (all as { explained: readonly Explanation[] }[]).flatMap(({ explained }) => explained)
}
