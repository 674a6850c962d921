import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Rooms whose code kinds share; a folder of another kind is not part of what a kind does. */
const shared =
  /^lib\/(reconcile\/(applied-objects|guard|policies|windows|source-artifact)|foundations\/rules|clusters\/apply|sources\/helm)\//

/** Lists compare reasons, and set none. */
const lists = /\['[A-Z]\w+'(,\s*'[A-Z]\w+'){2,}\]/g

/** Folders with another name than their kind. */
const folders: Readonly<Record<string, string>> = { OCIRepository: 'oci-repository' }

/**
 * The capitalised string literals in the code that reconciles a kind: its folder of lib/reconcile, and the files of shared rooms that it
 * imports. What the loop itself sets (`lib/reconcile/runtime`) is not among them.
 *
 * @param root the project's root
 */
export const wordsOfKinds = (root: string): ((kind: string) => ReadonlySet<string>) => {
  const wordsOf = (path: string): readonly string[] =>
    [
      ...readFileSync(join(root, path), 'utf8')
        .replaceAll(lists, '')
        .matchAll(/'([A-Z][A-Za-z]+)'|^ +([A-Z][A-Za-z]+): '/gm),
    ].map(([, literal, key]) => literal ?? key!)
  return kind => {
    const folder = folders[kind] ?? kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
    const own = globSync(`lib/reconcile/${folder}/**/*.ts`, { cwd: root })
    return new Set([...reachable(root, own)].flatMap(wordsOf))
  }
}

const reachable = (root: string, begin: readonly string[]): ReadonlySet<string> => {
  const found = new Set(begin)
  for (const path of found) {
    for (const imported of importsOf(root, path)) if (shared.test(imported)) found.add(imported)
  }
  return found
}

const importsOf = (root: string, path: string): readonly string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^(?:import|export|\}) .*from '(\..+)'$/gm)].map(([, to = '']) =>
    relative(root, join(root, dirname(path), to)),
  )
