/** Our own documentation, searched without a network. */
import * as z from 'zod'
import { bestSections, type DocsIndex } from './docs-index.ts'
import { type Tool, tool } from './tool.ts'

/** The tool `search_docs`. It returns sections as text, the best first; none if nothing fits. */
export const docsTools = (docs: DocsIndex): readonly Tool[] => [
  tool({
    name: 'search_docs',
    title: 'Search the documentation',
    description: "Searches Keelson's documentation. Returns the sections that fit best.",
    input: z.object({ query: z.string().min(2).max(200), limit: z.number().int().min(1).max(10).default(3) }),
    output: z.looseObject({
      items: z.array(z.looseObject({ page: z.string(), heading: z.string(), text: z.string() })),
    }),
    run: async ({ query, limit }) => {
      const items = bestSections(await docs.sections(), query).slice(0, limit)
      return { summary: `${items.length} sections about ${JSON.stringify(query)}.`, data: { items } }
    },
  }),
]
