import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Explanation } from './explanation.ts'

/** Those of a room, or of the folder or file of it that is meant; a large room has several files of them: `template-functions.ts`. */
export const explanationsOf = async (target: string): Promise<readonly Explanation[]> => {
  const [room] = target.split('/')
  const files = globSync(`{${room},${room}-*}.ts`, { cwd: join(import.meta.dirname, 'explained') })
  const all = await Promise.all(files.map(file => import(`./explained/${file}`) as Promise<Explained>))
  return all
    .flatMap(({ explained }) => explained)
    .filter(({ file }) => file === target || file.startsWith(`${target}/`))
}

interface Explained {
  readonly explained: readonly Explanation[]
}
