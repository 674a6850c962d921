import { toNlcst } from 'mdast-util-to-nlcst'
import { ParseEnglish } from 'parse-english'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import retextIndefiniteArticle from 'retext-indefinite-article'
import retextRedundantAcronyms from 'retext-redundant-acronyms'
import retextRepeatedWords from 'retext-repeated-words'
import retextSimplify from 'retext-simplify'
import { unified } from 'unified'
import { VFile } from 'vfile'
import { terms } from './exceptions.ts'
import { ownWords, ownWordsInTables, shortSentences } from './rules.ts'

const markdown = unified().use(remarkParse).use(remarkGfm)

const english = unified()
  .use(retextSimplify, { ignore: [...terms] })
  .use(retextRepeatedWords)
  .use(retextIndefiniteArticle)
  .use(retextRedundantAcronyms)
  .use(ownWords)
  .use(shortSentences)

export interface Finding {
  readonly line: number
  readonly message: string
}

/** What is not plain English in the prose of a page; code is not prose. */
export const lintProse = async (text: string): Promise<readonly Finding[]> => {
  const file = new VFile(text)
  const tree = markdown.parse(file)
  ownWordsInTables(tree, file)
  await english.run(toNlcst(tree, file, ParseEnglish), file)
  return file.messages.map(({ line = 1, reason }) => ({ line, message: reason }))
}
