import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Explanation } from './explanation.ts'

const folder = join(import.meta.dirname, 'explained')

/** Those of a room (`engines/kustomize`): in `kustomize.ts`, or `kustomize-PART.ts` where a room has many. */
export const explanationsOf = async (room: string): Promise<readonly Explanation[]> => {
  const name = basename(room)
  const files = readdirSync(folder).filter(file => file === `${name}.ts` || file.startsWith(`${name}-`))
  const all = await Promise.all(files.sort().map(file => import(join(folder, file))))
  return (all as { explained: readonly Explanation[] }[]).flatMap(({ explained }) => explained)
}
