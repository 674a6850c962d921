/** Our own documentation in sections, and the search in it. Pure, and without the library of tools: programs read it before an agent comes. */

/** A section of a page, from one heading to the next. */
export interface DocsSection {
  /** `clusters`: the page. */
  readonly page: string
  readonly heading: string
  readonly text: string
}

export interface DocsIndex {
  sections(): Promise<readonly DocsSection[]>
}

/** Pages of Markdown in sections. */
export const sectionsOf = (page: string, markdown: string): readonly DocsSection[] =>
  markdown
    .split(/^(?=#{1,4} )/m)
    .filter(part => part.trim() !== '')
    .map(part => {
      const [first = '', ...lines] = part.split('\n')
      return { page, heading: first.replace(/^#+ /, ''), text: lines.join('\n').trim() }
    })

/** The sections with the words of a query, rare words and headings first. */
export const bestSections = (sections: readonly DocsSection[], query: string): readonly DocsSection[] => {
  const words = [...new Set(wordsOf(query))]
  const texts = sections.map(section => ({ section, heading: wordsOf(section.heading), text: wordsOf(section.text) }))
  const rarity = new Map(
    words.map(word => {
      const holders = texts.filter(({ heading, text }) => heading.includes(word) || text.includes(word)).length
      return [word, Math.log(1 + sections.length / (1 + holders))]
    }),
  )
  const score = ({ heading, text }: (typeof texts)[number]): number =>
    words.reduce((sum, word) => {
      const count = text.filter(other => other === word).length
      const weight = (heading.includes(word) ? 3 : 0) + count / (count + 2)
      return sum + weight * rarity.get(word)!
    }, 0)
  return texts
    .map(one => ({ section: one.section, score: score(one) }))
    .filter(one => one.score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ section }) => section)
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
