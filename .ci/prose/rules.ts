import type { Root as MarkdownRoot } from 'mdast'
import type { Root, Sentence } from 'nlcst'
import { toString as textOf } from 'nlcst-to-string'
import type { Position } from 'unist'
import { visit } from 'unist-util-visit'
import type { VFile } from 'vfile'
import { replacedWords } from './words.ts'

/** One idea a sentence: more words than this hold two. */
export const maxWords = 40

/** Reports sentences that are too long. A period before a name in code, or before a small letter, ends a sentence, too. */
export const shortSentences = () => (tree: Root, file: VFile) => {
  visit(tree, 'SentenceNode', sentence => {
    const parts = textWithoutCode(sentence).split(/(?<=[.:;!?]\)?)\s+/)
    const longest = Math.max(...parts.map(part => part.match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu)?.length ?? 0))
    if (longest > maxWords) file.message(`${longest} words in one sentence: divide it`, { place: sentence.position })
  })
}

/** Code is one word of a sentence, however long it is. */
const textWithoutCode = ({ children }: Sentence): string =>
  children.map(node => (node.type === 'SourceNode' ? 'code' : textOf(node))).join('')

/** Reports words that `words.ts` replaces, in sentences. */
export const ownWords = () => (tree: Root, file: VFile) => {
  visit(tree, 'SentenceNode', sentence => reportWords(textWithoutCode(sentence), file, sentence.position))
}

/** The same in the cells of tables, which hold phrases rather than sentences. */
export const ownWordsInTables = (tree: MarkdownRoot, file: VFile): void => {
  visit(tree, 'tableCell', cell => {
    let text = ''
    visit(cell, 'text', ({ value }) => {
      text += ` ${value}`
    })
    reportWords(text, file, cell.position)
  })
}

const reportWords = (text: string, file: VFile, place: Position | undefined): void => {
  for (const [pattern, instead] of replacedWords) {
    const [found] = pattern.exec(text) ?? []
    if (found) file.message(`“${found}”: write ${instead}`, { place })
  }
}
