import { useEffect, useState } from 'preact/hooks'
import type { UnitGraph } from '../model/unit-graph.ts'
import type { Layout, Placed } from './graph-layout.ts'
import { Skeleton } from './notices.tsx'

const boxWidth = 190
const boxHeight = 46
const maxTitle = 24
const maxText = 28

const short = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** Boxes with their states, each a link. */
export const Graph = ({ of: graph, label }: { readonly of: UnitGraph; readonly label: string }) => {
  const [layout, setLayout] = useState<Layout>()
  const [isOutdated, setOutdated] = useState(false)
  useEffect(() => {
    let isCurrent = true
    import('./graph-layout.ts').then(
      ({ layoutOf }) => isCurrent && setLayout(layoutOf(graph, { width: boxWidth, height: boxHeight })),
      () => setOutdated(true),
    )
    return () => {
      isCurrent = false
    }
  }, [JSON.stringify(graph)])
  if (!layout && isOutdated)
    return <p class="pad quiet">The console has been updated: reload the page to see the graph.</p>
  if (!layout) return <Skeleton lines={3} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section class="scrolled graph" aria-label={label} tabIndex={0}>
      <svg width={layout.width} height={layout.height} viewBox={`0 0 ${layout.width} ${layout.height}`}>
        <title>{label}</title>
        {layout.lines.map(({ key, path }) => (
          <path key={key} class="edge" d={path} />
        ))}
        {layout.nodes.map(node => (
          <Box key={node.id} node={node} />
        ))}
      </svg>
    </section>
  )
}

const Box = ({ node: { x, y, title, text, state, href } }: { readonly node: Placed }) => (
  <a href={href} class={state.state}>
    <title>{`${title}\n${text}`}</title>
    <rect class="box" x={x - boxWidth / 2} y={y - boxHeight / 2} width={boxWidth} height={boxHeight} rx="6" />
    <rect class="edge-mark" x={x - boxWidth / 2} y={y - boxHeight / 2} width="4" height={boxHeight} rx="2" />
    <text x={x - boxWidth / 2 + 14} y={y - 4}>
      {short(title, maxTitle)}
    </text>
    <text class="second" x={x - boxWidth / 2 + 14} y={y + 14}>
      {short(text, maxText)}
    </text>
  </a>
)
