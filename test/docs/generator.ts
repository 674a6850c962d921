/** Makes documents, or parts of them, from what the project is. */
export interface Generator {
  /** Asked for by `npm run docs -- NAME`. */
  readonly name: string
  /** Starts programs, so that it takes seconds: its documents are compared in the suite `docs`, the others' in the unit tests. */
  readonly slow?: true
  /** Why it can't be asked here: what it reads is not on this machine. Its documents are then left as they are. */
  cannotRun?(): string | undefined
  /** Paths below the project's root, with all that they hold; the same for the same project, whenever it is asked. */
  make(root: string): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>
}

/**
 * A page with one of its parts made anew: what stands between the lines `<!-- NAME: made by npm run docs -->` and
 * `<!-- end of NAME -->`.
 */
export const withPart = (page: string, name: string, content: string): string => {
  const begin = `<!-- ${name}: made by npm run docs -->\n`
  const end = `<!-- end of ${name} -->`
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page has no part between ${begin.trim()} and ${end}`)
  return `${page.slice(0, from)}${begin}\n${content.trim()}\n\n${page.slice(to)}`
}
