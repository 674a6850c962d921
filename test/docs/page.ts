import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A fenced block of a page. */
export interface Block {
  /** `README.md:24`: where it begins. */
  readonly at: string
  /** The first word after the fence: `sh`, `yaml`. */
  readonly language: string
  /** Those behind it, which no reader sees: `output`. */
  readonly words: readonly string[]
  readonly text: string
}

const root = join(import.meta.dirname, '../..')
const fence = /^```([^\n`]*)\n([\s\S]*?)^```$/gm

/** The blocks of a page of the project, in their order. */
export const blocksOf = (path: string): Block[] => {
  const page = readFileSync(join(root, path), 'utf8')
  return [...page.matchAll(fence)].map(({ index, 1: info = '', 2: text = '' }) => {
    const [language = '', ...words] = info.trim().split(/\s+/)
    return { at: `${path}:${page.slice(0, index).split('\n').length}`, language, words, text }
  })
}
