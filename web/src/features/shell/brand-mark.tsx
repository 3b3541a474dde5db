/** The logo: two snapshots, one in front of the other, and what was added and removed between them. */
export function BrandMark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden>
      <rect
        x="1.75"
        y="1.75"
        width="12"
        height="12"
        rx="3"
        fill="var(--wt-surface)"
        stroke="var(--wt-field)"
        strokeWidth="1.5"
      />
      <rect x="6" y="6" width="13" height="13" rx="3.2" fill="var(--wt-accent)" />
      <path d="M12.5 8.6v4.6M10.2 10.9h4.6M10.2 16h4.6" stroke="#fff" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}
