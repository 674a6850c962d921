import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { once } from '../foundations/rules/once.ts'
import { type DocsIndex, sectionsOf } from '../mcp/docs-index.ts'

/** Where the documentation is, in a clone and in a package: both have this file two folders below their root. */
const docsFolder = join(import.meta.dirname, '../../docs')

/** The documentation that comes with the program, read at the first search. */
export const ownDocs = (folder: string = docsFolder): DocsIndex => ({ sections: once(() => sectionsIn(folder)) })

/** Copies what `ownDocs` reads to another folder, for a program without the rest of the package. */
export const copyDocs = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const names = await pagesIn(docsFolder)
  await Promise.all(names.map(name => copyFile(join(docsFolder, name), join(folder, name))))
}

const pagesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter(file => file.endsWith('.md') && file !== 'CHANGELOG.md')

const sectionsIn = async (folder: string) => {
  const files = await pagesIn(folder)
  const pages = await Promise.all(
    files.map(async file => sectionsOf(file.slice(0, -'.md'.length), await readFile(join(folder, file), 'utf8'))),
  )
  return pages.flat()
}
